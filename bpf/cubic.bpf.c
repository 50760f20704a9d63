// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CUBIC: RFC 9438, with HyStart++ (RFC 9406). cubic.h contains the window law.
 */
#include "cubic.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("struct_ops")
void BPF_PROG(cubic_init, struct sock *sk)
{
	cubic_start(sk);
}

SEC("struct_ops")
void BPF_PROG(cubic_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	cubic_on_sample(sk, sample);
}

SEC("struct_ops")
void BPF_PROG(cubic_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	cubic_on_ack(sk, acked);
}

SEC("struct_ops")
u32 BPF_PROG(cubic_ssthresh, struct sock *sk)
{
	return cubic_on_loss(sk);
}

SEC("struct_ops")
void BPF_PROG(cubic_cwnd_event, struct sock *sk, int event)
{
	cubic_on_event(sk, event);
}

SEC("struct_ops")
u32 BPF_PROG(cubic_undo_cwnd, struct sock *sk)
{
	return cubic_undo(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops cubic = {
	.init = (void *)cubic_init,
	.ssthresh = (void *)cubic_ssthresh,
	.cong_avoid = (void *)cubic_cong_avoid,
	.cwnd_event = (void *)cubic_cwnd_event,
	.pkts_acked = (void *)cubic_pkts_acked,
	.undo_cwnd = (void *)cubic_undo_cwnd,
	.name = "bpf_cubic",
};
