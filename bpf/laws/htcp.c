// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Leith and Shorten 2004. */
#include "../htcp.bpf.c"
#include "laws.h"

static struct htcp *state(void)
{
	return STATE(struct htcp, (struct sock *)tp);
}

int main(void)
{
	struct htcp h = { .least = 100000, .beta = ONE / 2 };

	/* 1 + 10 (Delta - 1) + ((Delta - 1) / 2)^2: 1, 6.0625, 22 and 126 after 1, 1.5, 3 and 11 s; times 0.4 for a beta of 0.8. */
	EQUAL(alpha(&h, SECOND), ONE);
	EQUAL(alpha(&h, 3 * SECOND / 2), 6208);
	EQUAL(alpha(&h, 3 * SECOND), 22 * ONE);
	EQUAL(alpha(&h, 11 * SECOND), 126 * ONE);
	h.beta = BETA_MAX;
	EQUAL(alpha(&h, 3 * SECOND), 22 * 2 * (ONE - BETA_MAX));
	/* Alpha is proportional to the round trip, with a factor of 0.1 to 2, and at least 1. */
	h.beta = ONE / 2;
	h.least = 50000;
	EQUAL(alpha(&h, 3 * SECOND), 11 * ONE);
	h.least = 300000;
	EQUAL(alpha(&h, 3 * SECOND), 44 * ONE);
	h.least = 5000;
	EQUAL(alpha(&h, 3 * SECOND), 22 * (ONE / 10));
	EQUAL(alpha(&h, SECOND), ONE);

	/* Beta is RTTmin / RTTmax within 0.5 and 0.8, in 1/1024; it is 0.5 if the rate has changed by more than a fifth or is unknown. */
	h = (struct htcp){ .least = 60000, .greatest = 120, .now = { .longest = 100000, .rate = 100 } };
	EQUAL(adapt(&h), 614);
	h.greatest = 121;
	EQUAL(adapt(&h), 512);
	h.greatest = 80;
	EQUAL(adapt(&h), 614);
	h.greatest = 0;
	EQUAL(adapt(&h), 512);
	h.greatest = 100;
	h.least = 99000;
	EQUAL(adapt(&h), 819);
	h.least = 40000;
	EQUAL(adapt(&h), 512);

	/* The first loss halves the window; the longest round trip decays from 100 to 98 ms (the smallest is 60), and the clock restarts. */
	connect(40, 5);
	CALL(htcp_init);
	ACK(htcp, 0, 1, 60000);
	state()->now.longest = 100000;
	EQUAL(CALL(htcp_ssthresh), 20);
	EQUAL(state()->now.longest, 98000);
	EQUAL(state()->now.since, SECOND);
	/* An undo restores the state before the loss. */
	tp->prior_cwnd = 40;
	EQUAL(CALL(htcp_undo_cwnd), 40);
	EQUAL(state()->now.longest, 100000);

	/* A round trip of more than 20 ms above the longest is ignored: a single late ACK. */
	state()->rtt = 130000;
	note(state());
	EQUAL(state()->now.longest, 100000);
	state()->rtt = 120000;
	note(state());
	EQUAL(state()->now.longest, 120000);
	return failures;
}
