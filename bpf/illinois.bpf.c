// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP-Illinois: S. Liu, T. Basar and R. Srikant, TCP-Illinois: A Loss- and Delay-Based Congestion Control Algorithm for High-Speed
 * Networks, Performance Evaluation 65(6-7), 2008.
 *
 * Losses determine whether the window grows or shrinks; the queueing delay determines the amount.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Section 3.2, in 1/1024: bounds of alpha, segments added per round trip, and of beta, the share of the window that a loss removes. */
#define ALPHA_MIN 307 /* 0.3 */
#define ALPHA_MAX (10 * ONE)
#define BETA_MIN (ONE / 8)
#define BETA_MAX (ONE / 2)
/* Queueing delays as shares of the longest, in 1/1024: alpha is maximal up to ETA1, beta minimal up to ETA2 and maximal from ETA3 on. */
#define ETA1 10 /* 0.01 */
#define ETA2 102 /* 0.1 */
#define ETA3 819 /* 0.8 */
/* Theta: consecutive rounds with delays up to ETA1 before alpha is maximal again. */
#define THETA 5
/* Window below which the scheme is Reno, segments (W_thresh). */
#define W_THRESH 15

struct illinois {
	u64 sum; /* sum of the round-trip times of this round, us */
	u32 samples;
	u32 end; /* the round ends when data beyond this number is acknowledged */
	u32 rtt; /* round-trip time of the current ACK, us; 0: none */
	u32 cumulative; /* segments acknowledged by the current ACK */
	u32 least; /* smallest round-trip time so far, us; 0: none; `most`: the largest */
	u32 most;
	u32 alpha; /* in 1/1024 */
	u32 beta; /* in 1/1024 */
	u32 rounds; /* consecutive rounds with delays up to ETA1 */
	bool waits; /* true after a longer delay, until THETA such rounds have passed */
};

SEC("struct_ops")
void BPF_PROG(illinois_init, struct sock *sk)
{
	struct illinois *i = STATE(struct illinois, sk);

	i->end = tcp_sk(sk)->snd_una;
	i->alpha = ALPHA_MAX;
	i->beta = BETA_MAX;
}

/* f1 (equation 6), with the delay as a share of the longest: k1 / (k2 + d), which is ALPHA_MAX at ETA1 and ALPHA_MIN at the longest delay. */
static u32 alpha_at(u32 share)
{
	u64 beyond = share > ETA1 ? share - ETA1 : 0;

	return (u64)(ONE - ETA1) * ALPHA_MIN * ALPHA_MAX / ((ONE - ETA1) * ALPHA_MIN + beyond * (ALPHA_MAX - ALPHA_MIN));
}

/* f2 (equation 7): k3 + k4 d, which is BETA_MIN at ETA2 and BETA_MAX at ETA3. */
static u32 beta_at(u32 share)
{
	u32 beyond = clamp(share, ETA2, ETA3) - ETA2;

	return BETA_MIN + (BETA_MAX - BETA_MIN) * beyond / (ETA3 - ETA2);
}

/* Section 3.3: "alpha can be set to alpha_max only if d_a stays below d_1 for theta round trips", after it was above d_1. */
static void adapt_alpha(struct illinois *i, u32 share)
{
	if (share > ETA1) {
		i->waits = 1;
		i->rounds = 0;
	} else if (i->waits && ++i->rounds < THETA) {
		return;
	} else {
		i->waits = 0;
	}
	i->alpha = alpha_at(share);
}

/* Sets alpha and beta once per round trip, by the mean queueing delay as a share of the longest so far. */
static void adapt(struct illinois *i, u32 cwnd)
{
	u32 longest = i->most - i->least, share;

	if (cwnd < W_THRESH) {
		i->alpha = ONE;
		i->beta = BETA_MAX;
	} else if (i->samples) {
		share = longest ? (i->sum / i->samples - i->least) * ONE / longest : 0;
		adapt_alpha(i, share);
		i->beta = beta_at(share);
	}
}

static void begin_round(struct illinois *i, u32 end)
{
	i->end = end;
	i->sum = 0;
	i->samples = 0;
}

SEC("struct_ops")
void BPF_PROG(illinois_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct illinois *i = STATE(struct illinois, sk);

	i->rtt = max(sample->rtt_us, 0);
	i->cumulative = sample->pkts_acked;
}

SEC("struct_ops")
void BPF_PROG(illinois_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct illinois *i = STATE(struct illinois, sk);

	/* If an ACK covers segments that SACK reported earlier, they waited for a retransmission: no sample of queueing delay. */
	if (i->rtt && acked == i->cumulative) {
		i->least = i->least ? min(i->least, i->rtt) : i->rtt;
		i->most = max(i->most, i->rtt);
		i->sum += i->rtt;
		i->samples++;
	}
	if (after(tp->snd_una, i->end)) {
		adapt(i, tp->snd_cwnd);
		begin_round(i, tp->snd_nxt);
	}
	grow(tp, (u64)slow_start(tp, acked) * i->alpha);
}

SEC("struct_ops")
u32 BPF_PROG(illinois_ssthresh, struct sock *sk)
{
	u64 cwnd = tcp_sk(sk)->snd_cwnd;

	return max(cwnd * (ONE - STATE(struct illinois, sk)->beta) / ONE, 2ULL);
}

/* After a timeout alpha and beta are Reno's until the next round trip. */
SEC("struct_ops")
void BPF_PROG(illinois_set_state, struct sock *sk, u8 new_state)
{
	struct illinois *i = STATE(struct illinois, sk);

	if (new_state != TCP_CA_Loss)
		return;
	i->alpha = ONE;
	i->beta = BETA_MAX;
	i->waits = 0;
	begin_round(i, tcp_sk(sk)->snd_nxt);
}

SEC("struct_ops")
u32 BPF_PROG(illinois_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops illinois = {
	.init = (void *)illinois_init,
	.ssthresh = (void *)illinois_ssthresh,
	.cong_avoid = (void *)illinois_cong_avoid,
	.set_state = (void *)illinois_set_state,
	.pkts_acked = (void *)illinois_pkts_acked,
	.undo_cwnd = (void *)illinois_undo_cwnd,
	.name = "bpf_illinois",
};
