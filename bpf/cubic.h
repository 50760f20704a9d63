/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CUBIC: RFC 9438, CUBIC for Fast and Long-Distance Networks, 2023, to which section numbers refer; slow start ends by RFC 9406,
 * HyStart++: Modified Slow Start for TCP, 2023.
 *
 * After a loss the window returns to its size at the loss along a cubic function of time. Windows are in 1/1024 of a segment, times of the
 * cubic in 1/1024 s.
 */
#ifndef CUBIC_H
#define CUBIC_H

#include "airhop.h"

/* Section 4.6: window after a loss, as a share of the window before. */
#define BETA(window) ((window)*7 / 10)
/* Section 4.3, equation 4: a flow has Reno's mean rate if it adds 3 (1 - beta) / (1 + beta) segments per round trip. */
#define ALPHA(credit) ((credit)*9 / 17)
/* Section 5.1: C = 0.4 segments per second cubed. */
#define C(cube) ((cube)*2 / 5)
/* Largest time from the plateau, 1/1024 s, whose cube fits 64 bits; a later window would exceed all bounds. */
#define FARTHEST (1 << 20)

/* RFC 9406, section 4.3, in this order: RTT samples that a round needs; divisor of growth in conservative slow start (CSS); rounds of CSS; largest
 * number of segments that an ACK counts for without pacing. */
#define N_RTT_SAMPLE 8
#define CSS_GROWTH_DIVISOR 4
#define CSS_ROUNDS 5
#define L 8U

/* State that a loss changes and an undo restores, in addition to the window. A member is 0 while it has no value. */
struct memory {
	u64 start; /* start of congestion avoidance after the last reduction, us */
	u64 friendly; /* W_est; its unit is 1/2^20 of a segment, since an ACK adds little */
	u32 w_max; /* window before the last reduction; 0 before the first loss and after a timeout (section 4.8) */
	u32 prior; /* cwnd_prior, the window before the last loss (section 4.1.2) */
	u32 k; /* K, time from start to the plateau */
	u32 plateau;
};

struct cubic {
	struct memory now, before; /* before: state before the last loss, for its undo (section 4.9.2) */
	u32 point; /* snd_nxt at the last loss: a loss below it is in the same window of data */
	u32 rtt; /* round-trip time of the current ACK, us; 0: none */
	u32 end; /* the round of HyStart++ ends when this number is acknowledged */
	u32 least; /* currentRoundMinRTT, us; 0: no sample yet */
	u32 last; /* lastRoundMinRTT, us; 0: no sample */
	u32 baseline; /* cssBaselineMinRtt, us; 0 outside conservative slow start */
	u8 samples; /* RTT samples of the round, at most N_RTT_SAMPLE */
	u8 rounds; /* rounds of conservative slow start so far */
	bool knows_ssthresh; /* true after a loss: slow start ends at ssthresh, without HyStart++ */
};

static inline void cubic_start(struct sock *sk)
{
	struct cubic *c = STATE(struct cubic, sk);

	c->point = tcp_sk(sk)->snd_una;
	c->end = tcp_sk(sk)->snd_una;
}

/* Window with the fraction of a segment by which it has grown. */
static inline u64 window_of(const struct tcp_sock *tp)
{
	return (u64)tp->snd_cwnd * ONE + tp->snd_cwnd_cnt / tp->snd_cwnd;
}

/* ---- HyStart++ ----------------------------------------------------------------------------------------------------------------- */

static inline void begin_round(struct cubic *c, u32 end)
{
	c->last = c->least;
	c->least = 0;
	c->samples = 0;
	c->end = end;
	if (c->baseline)
		c->rounds++;
}

/* RFC 9406, section 4.2: conservative slow start begins with a round whose minimum RTT exceeds that of the previous round by RttThresh, and ends
 * with a round whose minimum RTT is below the baseline. */
static inline void watch_delays(struct cubic *c)
{
	u32 threshold = clamp(c->last / 8, 4000U, 16000U);

	if (c->samples < N_RTT_SAMPLE)
		return;
	if (c->baseline && c->least < c->baseline) {
		c->baseline = 0;
	} else if (!c->baseline && c->last && c->least >= c->last + threshold) {
		c->baseline = c->least;
		c->rounds = 0;
	}
}

/* Growth by an ACK in slow start, in 1/1024 of a segment. Sets ssthresh to the window when HyStart++ ends slow start. */
static inline u64 start_growth(struct sock *sk, struct cubic *c, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 growth;

	if (c->knows_ssthresh)
		return (u64)acked * ONE;
	if (!after(c->end, tp->snd_una))
		begin_round(c, tp->snd_nxt);
	if (c->rtt) {
		c->least = c->least ? min(c->least, c->rtt) : c->rtt;
		c->samples = min(c->samples + 1, N_RTT_SAMPLE);
	}
	growth = (u64)(sk->sk_pacing_status == SK_PACING_NONE ? min(acked, L) : acked) * ONE;
	if (c->baseline)
		growth /= CSS_GROWTH_DIVISOR;
	watch_delays(c);
	if (c->baseline && c->rounds >= CSS_ROUNDS)
		tp->snd_ssthresh = tp->snd_cwnd;
	return growth;
}

/* Slow start; returns the number of acknowledged segments left for congestion avoidance. */
static inline u32 cubic_slow_start(struct sock *sk, struct cubic *c, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 growth, used;

	if (!in_slow_start(tp) || !acked)
		return acked;
	growth = start_growth(sk, c, acked);
	used = in_slow_start(tp) ? min(growth, (u64)(tp->snd_ssthresh - tp->snd_cwnd) * ONE) : 0;
	grow(tp, used * tp->snd_cwnd);
	return acked - acked * used / growth;
}

/* ---- the cubic ----------------------------------------------------------------------------------------------------------------- */

/* Starts the cubic. K is the cube root of (W_max - cwnd) / C (section 4.2, equation 2); without W_max the plateau is the window (4.8). */
static inline void begin_stage(struct memory *m, u64 now, u64 window)
{
	m->start = now;
	m->plateau = max(window, (u64)m->w_max);
	m->k = cube_root(((m->plateau - window) << 20) * 5 / 2);
	m->friendly = window << 10;
}

/* W_cubic at time `t` after the start of the cubic (section 4.2, equation 1). */
static inline u64 cubic_at(const struct memory *m, u64 t)
{
	u64 d = min(t < m->k ? m->k - t : t - m->k, (u64)FARTHEST);
	u64 distance = C(d * d * d >> 20);

	if (t >= m->k)
		return m->plateau + distance;
	return m->plateau > distance ? m->plateau - distance : 0;
}

/* Sections 4.2 to 4.5: growth by an ACK in congestion avoidance. */
static inline void avoid(struct tcp_sock *tp, struct memory *m, u32 acked)
{
	u64 window = window_of(tp), credit = ((u64)acked << 30) / window, t, target;

	if (!m->start)
		begin_stage(m, tp->tcp_mstamp, window);
	/* Section 4.3: W_est grows as Reno's window after it has reached the window before the loss, and by ALPHA before. */
	m->friendly += m->friendly >> 10 >= m->prior ? credit : ALPHA(credit);
	t = (tp->tcp_mstamp - m->start) * ONE / SECOND;
	if (cubic_at(m, t) < m->friendly >> 10) {
		if (m->friendly >> 10 > window)
			grow(tp, ((m->friendly >> 10) - window) * tp->snd_cwnd);
		return;
	}
	/* Section 4.2: the target is the window one round trip later, at most 1.5 times the present window. */
	target = clamp(cubic_at(m, t + (u64)(tp->srtt_us >> 3) * ONE / SECOND), window, window * 3 / 2);
	grow(tp, (target - window) * acked);
}

static inline void cubic_on_ack(struct sock *sk, u32 acked)
{
	struct cubic *c = STATE(struct cubic, sk);

	acked = cubic_slow_start(sk, c, acked);
	if (acked)
		avoid(tcp_sk(sk), &c->now, acked);
}

/* Loss or ECN mark (sections 4.6 and 4.7); returns ssthresh. */
static inline u32 cubic_on_loss(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic *c = STATE(struct cubic, sk);
	u64 window = window_of(tp);

	if (!after(c->point, tp->snd_una))
		c->before = c->now;
	c->point = tp->snd_nxt;
	/* Section 4.7, fast convergence: after a loss below the last W_max, W_max is (1 + beta) / 2 of the window. */
	c->now.w_max = window < c->now.w_max ? window * 17 / 20 : window;
	c->now.prior = window;
	c->now.start = 0;
	c->knows_ssthresh = 1;
	return max(BETA(tp->snd_cwnd), 2U);
}

/* Loss without a window reduction: an undo would restore the present state. */
static inline void cubic_keep(struct sock *sk)
{
	STATE(struct cubic, sk)->before = STATE(struct cubic, sk)->now;
}

/* Section 4.8: after a timeout the next cubic begins at its plateau. */
static inline void cubic_on_event(struct sock *sk, int event)
{
	if (event == CA_EVENT_LOSS)
		STATE(struct cubic, sk)->now.w_max = 0;
}

static inline void cubic_on_sample(struct sock *sk, const struct ack_sample *sample)
{
	STATE(struct cubic, sk)->rtt = max(sample->rtt_us, 0);
}

/* Section 4.9.2: undo of a spurious loss. */
static inline u32 cubic_undo(struct sock *sk)
{
	STATE(struct cubic, sk)->now = STATE(struct cubic, sk)->before;
	return tcp_reno_undo_cwnd(sk);
}

#endif
