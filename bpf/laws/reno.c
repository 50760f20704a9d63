// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 5681 section 3.1. */
#include "../reno.bpf.c"
#include "laws.h"

int main(void)
{
	/* Equation 4: half of the flight, at least two segments. */
	connect(11, 5);
	EQUAL(CALL(reno_ssthresh), 5);
	tp->snd_cwnd = 3;
	EQUAL(CALL(reno_ssthresh), 2);

	/* Six segments from 8 with ssthresh at 10: two in slow start; 4, then 6 more, add one to ten. */
	connect(8, 10);
	CALL(reno_cong_avoid, 0, 6);
	EQUAL(tp->snd_cwnd, 10);
	CALL(reno_cong_avoid, 0, 6);
	EQUAL(tp->snd_cwnd, 11);

	/* 4 of 10 segments are in use: the window grows if half of it is used in slow start, or all of it later. */
	connect(10, 5);
	tp->is_cwnd_limited = 0;
	CALL(reno_cong_avoid, 0, 10);
	EQUAL(tp->snd_cwnd, 10);
	connect(10, 100);
	tp->max_packets_out = 4;
	CALL(reno_cong_avoid, 0, 1);
	EQUAL(tp->snd_cwnd, 10);

	/* RFC 4015: undo of a spurious reduction. */
	connect(5, 5);
	tp->prior_cwnd = 10;
	EQUAL(CALL(reno_undo_cwnd), 10);
	return failures;
}
