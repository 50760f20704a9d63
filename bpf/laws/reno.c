// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 5681 section 3.1. */
#include "../reno.bpf.c"
#include "laws.h"

int main(void)
{
	/* Equation 4: ssthresh is half of the window, at least two segments. */
	connect(11, 5);
	EQUAL(CALL(reno_ssthresh), 5);
	tp->snd_cwnd = 3;
	EQUAL(CALL(reno_ssthresh), 2);

	/* Six ACKed segments, a window of 8, ssthresh 10: two add a segment each in slow start; the other 4 and 6 more add one to a window of ten. */
	connect(8, 10);
	CALL(reno_cong_avoid, 0, 6);
	EQUAL(tp->snd_cwnd, 10);
	CALL(reno_cong_avoid, 0, 6);
	EQUAL(tp->snd_cwnd, 11);

	/* The window grows in congestion avoidance if all of it is used, in slow start if more than half is. */
	connect(10, 5);
	tp->is_cwnd_limited = 0;
	CALL(reno_cong_avoid, 0, 10);
	EQUAL(tp->snd_cwnd, 10);
	connect(10, 100);
	tp->max_packets_out = 4;
	CALL(reno_cong_avoid, 0, 1);
	EQUAL(tp->snd_cwnd, 10);

	/* RFC 4015: the undo of a spurious reduction restores the window before it. */
	connect(5, 5);
	tp->prior_cwnd = 10;
	EQUAL(CALL(reno_undo_cwnd), 10);
	return failures;
}
