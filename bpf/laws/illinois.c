// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Liu, Basar and Srikant 2008, section 3. */
#include "../illinois.bpf.c"
#include "laws.h"

/* A round of ten segments with these round trips, us; its first ACK ends the previous round. */
static void round_of(u32 rtt)
{
	tp->snd_nxt = tp->snd_una + 10000;
	for (int i = 0; i < 10; i++) {
		ACK(illinois, 1000, 1, rtt);
		CALL(illinois_cong_avoid, 0, 1);
	}
}

static struct illinois *state(void)
{
	return STATE(struct illinois, (struct sock *)tp);
}

int main(void)
{
	/* Equation 6 at the delays 0.01, 1 and 0.5: alpha is 10, 0.3 and 0.99 * 0.3 * 10 / (0.99 * 0.3 + 0.49 * 9.7) = 0.588, which is 601/1024. */
	EQUAL(alpha_at(ETA1), ALPHA_MAX);
	EQUAL(alpha_at(ONE), ALPHA_MIN);
	EQUAL(alpha_at(512), 601);
	/* Equation 7: beta is 1/8 up to the delay 0.1, 1/2 from 0.8 on, and 5/16 at 0.45. */
	EQUAL(beta_at(102), 128);
	EQUAL(beta_at(819), 512);
	EQUAL(beta_at(461), 128 + 384 * 359 / 717);

	/* Round trips are from 60 to 100 ms: after a round at 100 ms, the longest delay, alpha is minimal, and a loss halves the window. */
	connect(20, 5);
	CALL(illinois_init);
	round_of(60000);
	round_of(100000);
	round_of(100000);
	round_of(100000);
	EQUAL(state()->alpha, ALPHA_MIN);
	tp->snd_cwnd = 20;
	EQUAL(CALL(illinois_ssthresh), 10);
	/* After short delays a loss reduces the window by an eighth; alpha is maximal after five consecutive rounds. A timeout restores Reno's rules. */
	round_of(60000);
	for (int rounds = 1; rounds <= 5; rounds++) {
		EQUAL(state()->alpha == ALPHA_MAX, 0);
		round_of(60000);
	}
	tp->snd_nxt = tp->snd_una + 10000;
	tp->snd_cwnd = 24;
	ACK(illinois, 1000, 1, 60000);
	CALL(illinois_cong_avoid, 0, 1);
	EQUAL(state()->alpha, ALPHA_MAX);
	EQUAL(CALL(illinois_ssthresh), 21);
	CALL(illinois_set_state, TCP_CA_Loss);
	EQUAL(state()->alpha, ONE);
	EQUAL(CALL(illinois_ssthresh), 12);

	/* With an alpha of ten segments per round trip, two acknowledged segments add one segment to a window of twenty. */
	connect(20, 5);
	CALL(illinois_init);
	tp->snd_nxt = 100000;
	state()->end = 100000;
	CALL(illinois_cong_avoid, 0, 2);
	EQUAL(tp->snd_cwnd, 21);
	return failures;
}
