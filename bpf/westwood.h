/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bandwidth estimate of TCP Westwood: C. Casetti, M. Gerla, S. Mascolo, M. Y. Sanadidi and R. Wang, TCP Westwood, MobiCom 2001.
 */
#ifndef WESTWOOD_H
#define WESTWOOD_H

#include "airhop.h"

/* Time constant of Westwood's filter, us. Each half of it without ACKs counts as a sample of zero (Casetti et al. 2001, section 2.2). */
#define TAU 1000000ULL
#define STEP (TAU / 2)
/* An ACK that arrives less than this after a whole STEP of idle time, us, belongs to that step: the rest is too short for a rate sample. */
#define SHORTEST_REMAINDER 10000
/* Each step of idle time leaves 3/5 of the estimate: after this number of steps no bit of a 64-bit estimate remains. */
#define MOST_STEPS 90
/* Largest number of segments that an ACK counts for in the rate. */
#define CAP 2U

struct westwood {
	u64 last; /* time of the last sample, us */
	u64 rate; /* bandwidth estimate, segments per second in 1/1024 */
	u64 sample; /* last sample, in the same unit */
	u32 left; /* segments delivered at the time of the last sample but not part of it; the next sample includes them */
	u32 base; /* smallest round-trip time so far, us; 0: none */
	u32 rtt; /* latest round-trip time, us */
	u32 delivered; /* segments delivered in total, at the last ACK (WestwoodVT) */
	u32 accounted; /* segments counted by duplicate ACKs, before an ACK acknowledged them (WestwoodNR) */
	u32 filled; /* ssthresh after the last loss; 0: the loss did not set it */
};

static void begin(struct sock *sk)
{
	struct westwood *w = STATE(struct westwood, sk);

	w->last = tcp_sk(sk)->tcp_mstamp;
	w->delivered = tcp_sk(sk)->delivered;
}

/* Adds a rate sample, `segments` in `gap` us, to the low-pass filter in Tustin form (Casetti et al. 2001, section 2.2):
 * rate = ((2 TAU - gap) rate + gap (sample + former sample)) / (2 TAU + gap). */
static void filter(struct westwood *w, u64 gap, u64 segments)
{
	u64 arrived = segments * SECOND * ONE;

	w->rate = ((2 * TAU - gap) * w->rate + gap * w->sample + arrived) / (2 * TAU + gap);
	w->sample = arrived / gap;
}

static void add_arrivals(struct westwood *w, u64 now, u32 segments)
{
	u64 gap = now - w->last, silent = gap / STEP;

	if (!gap) {
		w->left += segments;
		return;
	}
	segments += w->left;
	w->left = 0;
	w->last = now;
	gap %= STEP;
	if (silent && gap < SHORTEST_REMAINDER) {
		gap = STEP;
		silent--;
	}
	for (u32 i = 0; i < MOST_STEPS && i < silent; i++)
		filter(w, STEP, 0);
	filter(w, gap, segments);
}

/* Returns the number of segments that have arrived since the last ACK; each segment counts once. */
static inline u32 newly_delivered(struct sock *sk)
{
	struct westwood *w = STATE(struct westwood, sk);
	u32 before = w->delivered;

	w->delivered = tcp_sk(sk)->delivered;
	return w->delivered - before;
}

/* Adds the rate and round-trip samples of an ACK that reports `arrived` segments. */
static void observe(struct sock *sk, const struct ack_sample *sample, u32 arrived)
{
	struct westwood *w = STATE(struct westwood, sk);
	u32 rtt = sample->rtt_us;

	add_arrivals(w, tcp_sk(sk)->tcp_mstamp, min(arrived, CAP));
	if (sample->rtt_us <= 0)
		return;
	w->rtt = rtt;
	w->base = w->base ? min(w->base, rtt) : rtt;
}

/* Estimated bandwidth-delay product, at least two segments; ssthresh equals it even above the window (Casetti et al. 2001, section 3). */
static inline u32 product(const struct westwood *w)
{
	return max(w->rate * w->base / SECOND / ONE, 2ULL);
}

/* Sets ssthresh to the bandwidth-delay product after the repair of a loss and at a timeout; slow start continues up to it. */
static void end_reduction(struct sock *sk, int event)
{
	struct westwood *w = STATE(struct westwood, sk);

	if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = product(w);
	else if (event == CA_EVENT_COMPLETE_CWR && w->filled)
		tcp_sk(sk)->snd_ssthresh = w->filled;
}

#endif
