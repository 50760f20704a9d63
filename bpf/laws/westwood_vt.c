// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Koo et al. 2007, section 2; Casetti et al. 2001, section 2.2. */
#include "../westwood_vt.bpf.c"
#include "laws.h"

static struct westwood *state(void)
{
	return STATE(struct westwood, (struct sock *)tp);
}

/* ACKs of one segment each 10 ms for 20 s; the smallest round trip is 60 ms, the last one 100 ms. */
static void steady(u32 cwnd, u32 ssthresh)
{
	connect(cwnd, ssthresh);
	CALL(westwood_vt_init);
	ACK(westwood_vt, 10000, 1, 60000);
	for (int i = 0; i < 2000; i++)
		ACK(westwood_vt, 10000, 1, 100000);
}

int main(void)
{
	/* The filter has gain one: its output is 100 segments per second, within a rounding error of 1/1024 per sample. */
	steady(40, 5);
	EQUAL(state()->rate / ONE, 99);
	EQUAL(state()->rate > 100 * ONE - ONE / 5, 1);

	/* With 40 (1 - 60/100) = 16 queued segments, not above BETA, a loss does not change the window. A window of 41 has 16.4: the window becomes
	 * 100 segments per second times 60 ms. */
	EQUAL(CALL(westwood_vt_ssthresh), 40);
	CALL(westwood_vt_cwnd_event, CA_EVENT_COMPLETE_CWR);
	EQUAL(tp->snd_ssthresh, 5);
	tp->snd_cwnd = 41;
	EQUAL(CALL(westwood_vt_ssthresh), 5);
	/* A loss in slow start and a timeout count as congestion. */
	steady(10, 100);
	EQUAL(CALL(westwood_vt_ssthresh), 5);
	steady(10, 5);
	EQUAL(CALL(westwood_vt_ssthresh), 10);
	CALL(westwood_vt_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 5);

	/* A segment arrives 5 ms after three idle steps. Estimates, per second: a = 3/5 rate + 1/5 100, b = 3/5 a, c = 3/5 b + 1/5 2. */
	connect(10, 5);
	CALL(westwood_vt_init);
	state()->rate = 100 * ONE;
	state()->sample = 100 * ONE;
	ACK(westwood_vt, 1505000, 1, -1);
	EQUAL(state()->rate, 29900); /* (80 * 0.6 * 0.6 + 0.4) * 1024 */

	/* An ACK of ten segments counts for two. Segments that arrive at the time of the last sample count in the next one. */
	connect(10, 5);
	CALL(westwood_vt_init);
	ACK(westwood_vt, 10000, 10, -1);
	EQUAL(state()->sample, 200 * ONE);
	ACK(westwood_vt, 0, 1, -1);
	ACK(westwood_vt, 10000, 1, -1);
	EQUAL(state()->sample, 200 * ONE);
	return failures;
}
