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
	/* Equation 6 at 0.01 and at 1, and half way up: 0.99 * 0.3 * 10 / (0.99 * 0.3 + 0.49 * 9.7) = 0.588, in 1/1024 601. */
	EQUAL(alpha_at(ETA1), ALPHA_MAX);
	EQUAL(alpha_at(ONE), ALPHA_MIN);
	EQUAL(alpha_at(512), 601);
	/* Equation 7: an eighth up to 0.1, half from 0.8 on, 5/16 at 0.45. */
	EQUAL(beta_at(102), 128);
	EQUAL(beta_at(819), 512);
	EQUAL(beta_at(461), 128 + 384 * 359 / 717);

	/* 60 to 100 ms: a round at 100 ms has the longest delay, and a loss then halves the window; below 15 segments all rules are Reno's. */
	connect(20, 5);
	CALL(illinois_init);
	round_of(60000);
	round_of(100000);
	round_of(100000);
	round_of(100000);
	EQUAL(state()->alpha, ALPHA_MIN);
	tp->snd_cwnd = 20;
	EQUAL(CALL(illinois_ssthresh), 10);
	/* Short delays: a loss costs an eighth immediately; alpha_max requires five consecutive rounds. */
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

	/* Alpha of ten segments per round trip: two ACKs at a window of twenty add one segment. */
	connect(20, 5);
	CALL(illinois_init);
	tp->snd_nxt = 100000;
	state()->end = 100000;
	CALL(illinois_cong_avoid, 0, 2);
	EQUAL(tp->snd_cwnd, 21);
	return failures;
}
