// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Casetti et al. 2001, sections 2.2 and 3. westwood_vt.c tests the filter. */
#include "../westwood_nr.bpf.c"
#include "laws.h"

/* ACKs of one segment each 10 ms for 20 s; the smallest round trip is `least` us, the last one 100 ms. */
static void steady(u32 cwnd, u32 ssthresh, u32 least)
{
	connect(cwnd, ssthresh);
	CALL(westwood_nr_init);
	ACK(westwood_nr, 10000, 1, least);
	for (int i = 0; i < 2000; i++)
		ACK(westwood_nr, 10000, 1, 100000);
}

int main(void)
{
	/* The window after a loss is 100 segments per second times 65 ms, so 6.5 segments, also in slow start. */
	steady(40, 5, 65000);
	EQUAL(CALL(westwood_nr_ssthresh), 6);
	CALL(westwood_nr_cwnd_event, CA_EVENT_COMPLETE_CWR);
	EQUAL(tp->snd_ssthresh, 6);
	steady(40, 100, 65000);
	EQUAL(CALL(westwood_nr_ssthresh), 6);
	/* A loss never raises the window, but slow start continues up to the estimate. */
	steady(4, 3, 65000);
	EQUAL(CALL(westwood_nr_ssthresh), 4);
	CALL(westwood_nr_cwnd_event, CA_EVENT_COMPLETE_CWR);
	EQUAL(tp->snd_ssthresh, 6);
	/* A timeout sets the same ssthresh, at least two segments. */
	steady(40, 5, 65000);
	CALL(westwood_nr_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 6);
	steady(40, 5, 10000);
	CALL(westwood_nr_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 2);
	/* Three duplicate ACKs count for a segment each; the following ACK of five counts for two. If duplicates have counted all, an ACK counts for one. */
	connect(10, 5);
	CALL(westwood_nr_init);
	for (int i = 0; i < 3; i++) {
		ACK(westwood_nr, 10000, 0, -1);
		EQUAL(STATE(struct westwood, (struct sock *)tp)->sample, 100 * ONE);
	}
	ACK(westwood_nr, 10000, 5, -1);
	EQUAL(STATE(struct westwood, (struct sock *)tp)->sample, 200 * ONE);
	STATE(struct westwood, (struct sock *)tp)->accounted = 4;
	ACK(westwood_nr, 10000, 3, -1);
	EQUAL(STATE(struct westwood, (struct sock *)tp)->sample, 100 * ONE);
	EQUAL(STATE(struct westwood, (struct sock *)tp)->accounted, 1);
	return failures;
}
