// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Brakmo and Peterson 1995, sections III and IV. */
#include "../vegas.bpf.c"
#include "laws.h"

static struct vegas *state(void)
{
	return STATE(struct vegas, (struct sock *)tp);
}

/* Window after a round in which `cwnd` segments were sent; the smallest round trip is 60 ms, the round's mean `rtt` us. */
static u32 after_round(u32 cwnd, u32 ssthresh, u32 rtt)
{
	connect(cwnd, ssthresh);
	CALL(vegas_init);
	state()->base = 60000;
	state()->sum = 10ULL * rtt;
	state()->samples = 10;
	state()->pauses = 1;
	tp->snd_una = 1000;
	tp->snd_nxt = cwnd * 1000;
	CALL(vegas_cong_avoid, 0, 1);
	return tp->snd_cwnd;
}

int main(void)
{
	/* Queued segments are 20 (1 - 60/rtt), rounded: 3 at 70 ms (2.9), 4 at 74 (3.8), 1 at 64 (1.3), 0 at 61 (0.3). */
	EQUAL(after_round(20, 5, 70000), 20);
	EQUAL(state()->growth, STAYS);
	EQUAL(after_round(20, 5, 74000), 19);
	EQUAL(after_round(20, 5, 64000), 20);
	EQUAL(state()->growth, STAYS);
	EQUAL(after_round(20, 5, 61000), 20);
	EQUAL(state()->growth, GROWS_LINEARLY);
	/* Twenty ACKs, including the ACK above, add one segment to a window of twenty. */
	for (int i = 0; i < 19; i++)
		CALL(vegas_cong_avoid, 0, 1);
	EQUAL(tp->snd_cwnd, 21);

	/* In slow start an ACK adds one segment in every other round. With two segments queued slow start ends, and the window falls by an eighth. */
	EQUAL(after_round(20, 100, 64000), 21);
	EQUAL(after_round(20, 100, 66000), 18);
	EQUAL(tp->snd_ssthresh, 2);

	/* A loss reduces the window by a quarter, without slow start; a timeout starts slow start up to half. */
	connect(21, 5);
	EQUAL(CALL(vegas_ssthresh), 16);
	CALL(vegas_cwnd_event, CA_EVENT_COMPLETE_CWR);
	EQUAL(tp->snd_ssthresh, 2);
	CALL(vegas_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 10);
	return failures;
}
