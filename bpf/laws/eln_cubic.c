// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 9438, and Yun 2009 for segments with a notice; eln.c tests the reception of notices. */
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

	/* A loss without a notice reduces the window by 0.3; the loss at 5000 has a notice: no reduction, and no undo. */
	EQUAL(CALL(eln_cubic_ssthresh), 70);
	tp->snd_cwnd = 80;
	tp->snd_una = 5000;
	EQUAL(CALL(eln_cubic_ssthresh), 80);
	CALL(eln_cubic_undo_cwnd);
	EQUAL(STATE(struct cubic, (struct sock *)tp)->now.w_max, 100 * ONE);
	/* With or without a notice, a timeout reduces the window by 0.3 and clears W_max (section 4.8). */
	CALL(eln_cubic_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 56);
	EQUAL(STATE(struct cubic, (struct sock *)tp)->now.w_max, 0);
	return failures;
}
