// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fu and Liew 2003, section II. */
#include "../veno.bpf.c"
#include "laws.h"

/* The smallest round trip is 60 ms; the last round had this number of samples, of `rtt` us. */
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
	/* 20 (1 - 60/72) = 3.3 segments are queued: half remains; 20 (1 - 60/70) = 2.9: four fifths remain. */
	round_of(72000, 3, 20, 5);
	EQUAL(CALL(veno_ssthresh), 10);
	round_of(70000, 3, 20, 5);
	EQUAL(CALL(veno_ssthresh), 16);
	/* 12 (1 - 60/80) = 3, which is not below beta. */
	round_of(80000, 3, 12, 5);
	EQUAL(CALL(veno_ssthresh), 6);
	/* Two samples are too few: Reno. */
	round_of(70000, 2, 20, 5);
	EQUAL(CALL(veno_ssthresh), 10);
	/* A timeout halves the window for any queue. */
	round_of(70000, 3, 20, 5);
	CALL(veno_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 10);

	/* In the congestive state every second ACK counts: with 20 segments per ACK the second adds one. In slow start all ACKs count. */
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
