// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CUBIC (RFC 9438) with the notices of Yun 2009: if a notice of the link layer reports a lost segment, the loss is wireless, and the window is
 * not reduced. cubic.h contains the window law. notices.h lists the notices, and contains the program that reads them.
 */
#include "cubic.h"
#include "notices.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("struct_ops")
void BPF_PROG(eln_cubic_init, struct sock *sk)
{
	cubic_start(sk);
	start_listening(sk);
}

SEC("struct_ops")
void BPF_PROG(eln_cubic_release, struct sock *sk)
{
	stop_listening(sk);
}

SEC("struct_ops")
void BPF_PROG(eln_cubic_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	cubic_on_sample(sk, sample);
}

SEC("struct_ops")
void BPF_PROG(eln_cubic_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	cubic_on_ack(sk, acked);
}

SEC("struct_ops")
u32 BPF_PROG(eln_cubic_ssthresh, struct sock *sk)
{
	if (!is_named(sk))
		return cubic_on_loss(sk);
	cubic_keep(sk);
	return tcp_sk(sk)->snd_cwnd;
}

/* A timeout always reduces the window, since no segment arrives. */
SEC("struct_ops")
void BPF_PROG(eln_cubic_cwnd_event, struct sock *sk, int event)
{
	if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = cubic_on_loss(sk);
	cubic_on_event(sk, event);
}

SEC("struct_ops")
u32 BPF_PROG(eln_cubic_undo_cwnd, struct sock *sk)
{
	return cubic_undo(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops eln_cubic = {
	.init = (void *)eln_cubic_init,
	.release = (void *)eln_cubic_release,
	.ssthresh = (void *)eln_cubic_ssthresh,
	.cong_avoid = (void *)eln_cubic_cong_avoid,
	.cwnd_event = (void *)eln_cubic_cwnd_event,
	.pkts_acked = (void *)eln_cubic_pkts_acked,
	.undo_cwnd = (void *)eln_cubic_undo_cwnd,
	.name = "bpf_eln_cubic",
};
