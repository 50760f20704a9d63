// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Caini and Firrincieli 2004, section 3. */
#include "../hybla.bpf.c"
#include "laws.h"

/* Starts a connection that is past its first flight; `ms` is its smallest round trip. */
static void of(u32 ms, u32 cwnd, u32 ssthresh)
{
	connect(cwnd, ssthresh);
	ACK(hybla, 1000, 0, ms * 1000);
	STATE(struct hybla, (struct sock *)tp)->beginning = OVER;
}

int main(void)
{
	/* 2^rho - 1 in 1/1024: 1, 3 and 7 for 25, 50 and 75 ms; for 60 ms rho is 2457/1024, and 2^rho - 1 is 4.2760. */
	EQUAL(exponential(ONE), ONE);
	EQUAL(exponential(2 * ONE), 3 * ONE);
	EQUAL(exponential(3 * ONE), 7 * ONE);
	EQUAL(exponential(60 * ONE / 25), 4378);
	EQUAL(exponential(40 * ONE), 65535LL * ONE);

	/* Equation 8: in slow start at 50 ms each segment adds 2^2 - 1 = 3, up to ssthresh. */
	of(50, 10, 1000);
	CALL(hybla_cong_avoid, 0, 2);
	EQUAL(tp->snd_cwnd, 16);
	of(50, 10, 12);
	CALL(hybla_cong_avoid, 0, 2);
	EQUAL(tp->snd_cwnd, 12);
	/* In congestion avoidance each segment adds 4 / cwnd at 50 ms: 5 segments add 2 to a window of 10. At 10 ms it adds 1 / cwnd, as in Reno. */
	of(50, 10, 5);
	CALL(hybla_cong_avoid, 0, 5);
	EQUAL(tp->snd_cwnd, 12);
	of(10, 10, 5);
	CALL(hybla_cong_avoid, 0, 10);
	EQUAL(tp->snd_cwnd, 11);
	of(1000, 10, 100000);
	CALL(hybla_cong_avoid, 0, 2);
	EQUAL(tp->snd_cwnd, 65535);

	/* Hoe 1996: after the first ACK of a flight of ten, eight segments are acknowledged in 8 ms, so 1000 per second: ssthresh is 100 segments at a round
	 * trip of 100 ms. The window becomes rho = 4 segments, and the last ACK adds 2^4 - 1. */
	connect(2, TCP_INFINITE_SSTHRESH);
	tp->snd_nxt = 10000;
	tp->packets_out = 10;
	ACK(hybla, 0, 2, 100000);
	CALL(hybla_cong_avoid, 0, 2);
	EQUAL(tp->snd_cwnd, 2);
	ACK(hybla, 4000, 4, 100000);
	CALL(hybla_cong_avoid, 0, 4);
	EQUAL(tp->snd_cwnd, 2);
	ACK(hybla, 4000, 4, 100000);
	CALL(hybla_cong_avoid, 0, 1);
	EQUAL(tp->snd_ssthresh, 100);
	EQUAL(tp->snd_cwnd, 4 + 15);
	/* A finite threshold is multiplied by rho, and growth begins immediately. */
	connect(2, 8);
	tp->packets_out = 10;
	ACK(hybla, 0, 2, 100000);
	CALL(hybla_cong_avoid, 0, 1);
	EQUAL(tp->snd_ssthresh, 32);
	EQUAL(tp->snd_cwnd, 4 + 15);
	/* The kernel paces after the first flight, and after a loss. */
	EQUAL(((struct sock *)tp)->sk_pacing_status, SK_PACING_NEEDED);
	connect(20, TCP_INFINITE_SSTHRESH);
	EQUAL(CALL(hybla_ssthresh), 10);
	EQUAL(((struct sock *)tp)->sk_pacing_status, SK_PACING_NEEDED);
	return failures;
}
