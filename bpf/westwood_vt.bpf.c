// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP WestwoodVT: J. Koo, S.-G. Mun and H. Choo, Sender-Based TCP Scheme for Improving Performance in Wireless Environment, ICCS 2007,
 * LNCS 4490, pp. 538-541; its base: C. Casetti, M. Gerla, S. Mascolo, M. Y. Sanadidi and R. Wang, TCP Westwood, MobiCom 2001.
 *
 * Westwood's window after a loss if Vegas' estimate of the flow's queued segments indicates congestion; otherwise an unchanged window.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Queued segments: with fewer than BETA + 1 the loss is wireless or undecided, and the window does not change (section 2: alpha is 14, and a number
 * from 14 to 16 leaves the decision to the next loss). */
#define BETA 16
/* Time constant of Westwood's filter, us; idle time counts as samples of zero, one per half of it (Casetti et al. 2001, section 2.2). */
#define TAU 1000000ULL
#define STEP (TAU / 2)
/* Idle time shorter than this joins the preceding step, us: it is too short for a rate sample. */
#define SHORTEST_REMAINDER 10000
/* Each step of idle time leaves 3/5 of the estimate: after this number of steps no bit of a 64-bit estimate remains. */
#define MOST_STEPS 90
/* Largest number of segments that an ACK counts for. */
#define CAP 2U

struct westwood_vt {
	u64 last; /* time of the last sample, us */
	u64 rate; /* bandwidth estimate, segments per second in 1/1024 */
	u64 sample; /* last sample, in the same unit */
	u32 left; /* segments delivered at the same time as the last sample, which the next sample includes */
	u32 base; /* smallest round-trip time so far, us; 0: none */
	u32 rtt; /* latest round-trip time, us */
	u32 delivered; /* segments delivered in total, at the last ACK */
	u32 filled; /* ssthresh after the last loss */
};

SEC("struct_ops")
void BPF_PROG(westwood_vt_init, struct sock *sk)
{
	struct westwood_vt *w = STATE(struct westwood_vt, sk);

	w->last = tcp_sk(sk)->tcp_mstamp;
	w->delivered = tcp_sk(sk)->delivered;
}

/* Casetti et al. 2001, section 2.2: the Tustin form of a low-pass filter, for `segments` in a time of `gap` us:
 * rate = ((2 TAU - gap) rate + gap (sample + former sample)) / (2 TAU + gap). */
static void filter(struct westwood_vt *w, u64 gap, u64 segments)
{
	u64 arrived = segments * SECOND * ONE;

	w->rate = ((2 * TAU - gap) * w->rate + gap * w->sample + arrived) / (2 * TAU + gap);
	w->sample = arrived / gap;
}

static void add_arrivals(struct westwood_vt *w, u64 now, u32 segments)
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

SEC("struct_ops")
void BPF_PROG(westwood_vt_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct westwood_vt *w = STATE(struct westwood_vt, sk);
	u32 arrived = tp->delivered - w->delivered, rtt = sample->rtt_us;

	w->delivered = tp->delivered;
	add_arrivals(w, tp->tcp_mstamp, min(arrived, CAP));
	if (sample->rtt_us <= 0)
		return;
	w->rtt = rtt;
	w->base = w->base ? min(w->base, rtt) : rtt;
}

/* Section 2, equations 1 and 2: cwnd (1 - BaseRTT / RTT) segments are queued. A loss in slow start counts as congestion. */
static bool is_congestion(const struct tcp_sock *tp, const struct westwood_vt *w)
{
	u64 waits = w->rtt - w->base;

	return in_slow_start(tp) || !w->base || tp->snd_cwnd * waits > (u64)BETA * w->rtt;
}

SEC("struct_ops")
u32 BPF_PROG(westwood_vt_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct westwood_vt *w = STATE(struct westwood_vt, sk);

	w->filled = max(w->rate * w->base / SECOND / ONE, 2ULL);
	if (is_congestion(tp, w))
		return min(w->filled, tp->snd_cwnd);
	w->filled = 0;
	return tp->snd_cwnd;
}

/* Casetti et al. 2001, section 3: ssthresh is the estimated bandwidth-delay product, also if it exceeds the window. A timeout counts as congestion. */
SEC("struct_ops")
void BPF_PROG(westwood_vt_cwnd_event, struct sock *sk, int event)
{
	struct westwood_vt *w = STATE(struct westwood_vt, sk);

	if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = max(w->rate * w->base / SECOND / ONE, 2ULL);
	else if (event == CA_EVENT_COMPLETE_CWR && w->filled)
		tcp_sk(sk)->snd_ssthresh = w->filled;
}

SEC("struct_ops")
void BPF_PROG(westwood_vt_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
u32 BPF_PROG(westwood_vt_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops westwood_vt = {
	.init = (void *)westwood_vt_init,
	.ssthresh = (void *)westwood_vt_ssthresh,
	.cong_avoid = (void *)westwood_vt_cong_avoid,
	.cwnd_event = (void *)westwood_vt_cwnd_event,
	.pkts_acked = (void *)westwood_vt_pkts_acked,
	.undo_cwnd = (void *)westwood_vt_undo_cwnd,
	.name = "bpf_westwood_vt",
};
