// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Grieco and Mascolo 2004, section 2. */
#include "../westwood_plus.bpf.c"
#include "laws.h"

static u64 rate(void)
{
	return STATE(struct westwood_plus, (struct sock *)tp)->rate;
}

int main(void)
{
	/* At a segment each 10 ms and a round trip of 100 ms, a round ends after 110 ms, with 11 segments: 100 per second. */
	connect(50, 5);
	CALL(westwood_plus_init);
	for (int i = 0; i < 200; i++)
		ACK(westwood_plus, 10000, 1, 100000);
	EQUAL(rate(), 100 * ONE);
	/* At this rate 10 segments fill the path without a queue: the window after a loss. */
	EQUAL(CALL(westwood_plus_ssthresh), 10);
	/* A loss never raises the window, here 8 segments, but slow start continues up to 10. */
	tp->snd_cwnd = 8;
	EQUAL(CALL(westwood_plus_ssthresh), 8);
	CALL(westwood_plus_cwnd_event, CA_EVENT_COMPLETE_CWR);
	EQUAL(tp->snd_ssthresh, 10);

	/* Rounds of 10 and then 20 segments in 100 ms each: 7/8 100 + 1/8 (7/8 100 + 1/8 200) = 101.5625 per second. */
	connect(50, 5);
	CALL(westwood_plus_init);
	ACK(westwood_plus, 0, 10, 99000);
	ACK(westwood_plus, 100000, 20, 99000);
	EQUAL(rate(), 100 * ONE);
	ACK(westwood_plus, 100000, 0, 99000);
	EQUAL(rate(), 104000); /* 101.5625 * 1024 */

	/* A round lasts more than 50 ms even if the round trip is 20 ms: six segments in 60 ms are the first sample. */
	connect(50, 5);
	CALL(westwood_plus_init);
	for (int i = 0; i < 6; i++)
		ACK(westwood_plus, 10000, 1, 20000);
	EQUAL(rate(), 0);
	ACK(westwood_plus, 10000, 1, 20000);
	EQUAL(rate(), 100 * ONE);
	return failures;
}
