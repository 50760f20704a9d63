// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP WestwoodVT: J. Koo, S.-G. Mun and H. Choo, Sender-Based TCP Scheme for Improving Performance in Wireless Environment, ICCS 2007,
 * LNCS 4490, pp. 538-541.
 *
 * If Vegas' estimate of the flow's queued segments indicates congestion, a loss sets Westwood's window; otherwise the window does not change.
 */
#include "westwood.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Up to this number of queued segments a loss is wireless or undecided, and the window does not change (section 2: up to alpha = 14 it is wireless,
 * from 14 to 16 the next loss decides). */
#define BETA 16

SEC("struct_ops")
void BPF_PROG(westwood_vt_init, struct sock *sk)
{
	begin(sk);
}

SEC("struct_ops")
void BPF_PROG(westwood_vt_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	observe(sk, sample, newly_delivered(sk));
}

/* True if cwnd (1 - BaseRTT / RTT) queued segments (section 2, equations 1 and 2) exceed BETA, and in slow start. */
static bool is_congestion(const struct tcp_sock *tp, const struct westwood *w)
{
	u64 waits = w->rtt - w->base;

	return in_slow_start(tp) || !w->base || tp->snd_cwnd * waits > (u64)BETA * w->rtt;
}

SEC("struct_ops")
u32 BPF_PROG(westwood_vt_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct westwood *w = STATE(struct westwood, sk);

	if (is_congestion(tp, w)) {
		w->filled = product(w);
		return min(w->filled, tp->snd_cwnd);
	}
	w->filled = 0;
	return tp->snd_cwnd;
}

/* A timeout counts as congestion. */
SEC("struct_ops")
void BPF_PROG(westwood_vt_cwnd_event, struct sock *sk, int event)
{
	end_reduction(sk, event);
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
