// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 9438, and Yun 2009 for what is named; eln.c holds how notices are heard. */
#include "../eln_cubic.bpf.c"
#include "laws.h"

static struct named entry = { .count = 1, .seq = { 5000 } };

static void *lookup(void *map, const void *c)
{
	return map && c ? &entry : 0;
}

int main(void)
{
	airhop_map_lookup_elem = lookup;
	connect(100, 5);
	cubic_start((struct sock *)tp);
	tp->snd_nxt = 10000;

	/* A loss that nobody named costs 0.3, and at 5000 one that is: nothing, and nothing is undone with it. */
	EQUAL(CALL(eln_cubic_ssthresh), 70);
	tp->snd_cwnd = 80;
	tp->snd_una = 5000;
	EQUAL(CALL(eln_cubic_ssthresh), 80);
	CALL(eln_cubic_undo_cwnd);
	EQUAL(STATE(struct cubic, (struct sock *)tp)->now.w_max, 100 * ONE);
	/* Named or not, a timeout costs 0.3, and W_max is forgotten (section 4.8). */
	CALL(eln_cubic_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 56);
	EQUAL(STATE(struct cubic, (struct sock *)tp)->now.w_max, 0);
	return failures;
}
