// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP Reno: RFC 5681, TCP Congestion Control, 2009. The example to copy: bpf/README.md explains how to load it into a kernel.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* After three duplicate ACKs, SACK blocks above a hole, an ECN mark or a timeout, ssthresh is half of the window, at least two segments
 * (section 3.1, equation 4). The kernel repairs the loss and reduces the window, after a timeout to 1. */
SEC("struct_ops")
u32 BPF_PROG(reno_ssthresh, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

/* Growth by an ACK outside recovery that acknowledges `acked` segments for the first time. */
SEC("struct_ops")
void BPF_PROG(reno_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	/* An unused window does not grow, since its unused part is untested. */
	if (!is_cwnd_limited(tp))
		return;
	/* Slow start: the window doubles each round trip, up to ssthresh (equation 2). */
	if (in_slow_start(tp))
		acked = tcp_slow_start(tp, acked);
	/* Congestion avoidance: one segment per round trip, i.e. one per acknowledged window (equation 3; RFC 3465 section 2.1). */
	if (acked)
		tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

/* If the segments marked lost had arrived (RFC 4015), the window before the reduction is restored; a larger present window remains. */
SEC("struct_ops")
u32 BPF_PROG(reno_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

/* The name for `airhop run --scheme`, `iperf3 -C` and net.ipv4.tcp_congestion_control. */
SEC(".struct_ops")
struct tcp_congestion_ops reno = {
	.ssthresh = (void *)reno_ssthresh,
	.cong_avoid = (void *)reno_cong_avoid,
	.undo_cwnd = (void *)reno_undo_cwnd,
	.name = "bpf_reno",
};
