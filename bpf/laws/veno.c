// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fu and Liew 2003, section II. */
#include "../veno.bpf.c"
#include "laws.h"

/* A last round with `samples` samples of `rtt` us; the smallest round trip is 60 ms. */
static void round_of(u32 rtt, u32 samples, u32 cwnd, u32 ssthresh)
{
	connect(cwnd, ssthresh);
	CALL(veno_init);
	for (int i = 0; i < 3; i++)
		ACK(veno, 1000, 1, 60000);
	tp->snd_nxt = tp->snd_una;
	ACK(veno, 1000, 1, 60000);
	tp->snd_nxt = tp->snd_una;
	for (u32 i = 0; i < samples; i++) {
		tp->snd_nxt = tp->snd_una + 5000;
		ACK(veno, 1000, i == 0 ? 1 : 0, 200000);
		STATE(struct veno, (struct sock *)tp)->samples = i + 1;
	}
	STATE(struct veno, (struct sock *)tp)->least = rtt;
	tp->snd_una = tp->snd_nxt + 1000;
	ACK(veno, 1000, 1, 100000);
}

int main(void)
{
	/* With 20 (1 - 60/72) = 3.3 queued segments a loss leaves half of the window; with 20 (1 - 60/70) = 2.9, four fifths. */
	round_of(72000, 3, 20, 5);
	EQUAL(CALL(veno_ssthresh), 10);
	round_of(70000, 3, 20, 5);
	EQUAL(CALL(veno_ssthresh), 16);
	/* 12 (1 - 60/80) = 3 queued segments equal beta, which counts as congestion. */
	round_of(80000, 3, 12, 5);
	EQUAL(CALL(veno_ssthresh), 6);
	/* After a round with two samples, which are too few, a loss halves the window as in Reno. */
	round_of(70000, 2, 20, 5);
	EQUAL(CALL(veno_ssthresh), 10);
	/* A timeout sets ssthresh to half of the window, whatever is queued. */
	round_of(70000, 3, 20, 5);
	CALL(veno_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 10);

	/* On a congested path only every second ACK grows the window: by one segment per 20 acknowledged. In slow start all ACKs grow it. */
	round_of(72000, 3, 20, 5);
	CALL(veno_cong_avoid, 0, 20);
	EQUAL(tp->snd_cwnd, 20);
	CALL(veno_cong_avoid, 0, 20);
	EQUAL(tp->snd_cwnd, 21);
	round_of(72000, 3, 20, 100);
	CALL(veno_cong_avoid, 0, 1);
	EQUAL(tp->snd_cwnd, 21);
	return failures;
}
