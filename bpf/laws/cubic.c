// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 9438 and RFC 9406. */
#include "../cubic.bpf.c"
#include "laws.h"

static struct cubic *state(void)
{
	return STATE(struct cubic, (struct sock *)tp);
}

/* A round of HyStart++: ten ACKs with this round-trip time, us. */
static void round_of(u32 rtt)
{
	tp->snd_nxt = tp->snd_una + 11000; /* the next round begins with the first ACK after these */
	for (int i = 0; i < 10; i++) {
		ACK(cubic, 1000, 1, rtt);
		CALL(cubic_cong_avoid, 0, 1);
	}
}

int main(void)
{
	struct memory m = { .w_max = 100 * ONE };

	EQUAL(cube_root(0), 0);
	EQUAL(cube_root(26), 2);
	EQUAL(cube_root(27), 3);
	EQUAL(cube_root(~0ULL), 2642245);

	/* Section 4.2: from 70 to a W_max of 100, K is the cube root of 30 / 0.4: 4.217 s. W_cubic is initially 70 (69.996 for K in 1/1024 s), 100 at
	 * K, and 100 + 0.4 * 2^3 two seconds later. */
	begin_stage(&m, 1, 70 * ONE);
	EQUAL(m.k, 4318);
	EQUAL(cubic_at(&m, 0) / ONE, 70);
	EQUAL(cubic_at(&m, m.k), 100 * ONE);
	EQUAL(cubic_at(&m, m.k + 2 * ONE), 100 * ONE + 3276);
	EQUAL(cubic_at(&m, ~0ULL) > 1ULL << 30, 1);
	EQUAL(cubic_at(&(struct memory){ .k = ~0U }, 0), 0);

	/* Sections 4.6 and 4.7: a loss leaves 0.7 of the window; a loss below the last W_max reduces W_max to 0.85 of the window. */
	connect(100, 5);
	CALL(cubic_init);
	EQUAL(CALL(cubic_ssthresh), 70);
	EQUAL(state()->now.w_max, 100 * ONE);
	tp->snd_cwnd = 80;
	EQUAL(CALL(cubic_ssthresh), 56);
	EQUAL(state()->now.w_max, 68 * ONE);
	tp->snd_cwnd = 2;
	EQUAL(CALL(cubic_ssthresh), 2);
	/* Section 4.8: a timeout clears W_max. */
	CALL(cubic_cwnd_event, CA_EVENT_LOSS);
	EQUAL(state()->now.w_max, 0);

	/* Section 4.3: while the window is below the window before the loss, each acknowledged window adds 9/17 of a segment. The cubic adds less in
	 * these 10 ms. */
	connect(10, 5);
	CALL(cubic_init);
	state()->now.prior = ~0U;
	for (int i = 0; i < 10; i++) {
		tp->tcp_mstamp += 1000;
		CALL(cubic_cong_avoid, 0, 10);
	}
	EQUAL(tp->snd_cwnd, 14); /* 14.1 after ten times ten acknowledged segments: each adds 9/17 / cwnd */

	/* Section 4.2: the window grows by half per round trip at most. */
	connect(10, 5);
	CALL(cubic_init);
	state()->now = (struct memory){ .start = SECOND, .k = 0, .plateau = 1000 * ONE };
	CALL(cubic_cong_avoid, 0, 10);
	EQUAL(tp->snd_cwnd, 15);

	/* RFC 9406 section 4.2: after a round of 80 ms, a round of 90 ms reduces growth to a quarter; slow start ends after five such rounds. Without
	 * pacing an ACK counts for at most eight segments (section 4.3). */
	connect(10, 1000);
	CALL(cubic_init);
	round_of(80000);
	round_of(89999);
	EQUAL(state()->baseline, 0);
	connect(10, 1000);
	CALL(cubic_init);
	round_of(80000);
	EQUAL(tp->snd_cwnd, 20);
	round_of(90000);
	EQUAL(state()->baseline, 90000);
	for (int rounds = 2; rounds <= 5; rounds++)
		round_of(90000);
	EQUAL(tp->snd_ssthresh, 1000);
	EQUAL(tp->snd_cwnd, 38); /* growth by 8 + 2/4 and then by 40/4 segments */
	round_of(90000);
	EQUAL(tp->snd_ssthresh < 1000, 1);
	connect(10, 1000);
	CALL(cubic_init);
	CALL(cubic_cong_avoid, 0, 20);
	EQUAL(tp->snd_cwnd, 18);
	return failures;
}
