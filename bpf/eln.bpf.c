// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reno with explicit loss notification (Balakrishnan and Katz 1998; Yun 2009): if a notice of the link layer reports a lost segment, the loss is
 * wireless, and the window is not reduced. notices.h lists the notices, and contains the program that reads them.
 */
#include "notices.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("struct_ops")
void BPF_PROG(eln_init, struct sock *sk)
{
	start_listening(sk);
}

SEC("struct_ops")
void BPF_PROG(eln_release, struct sock *sk)
{
	stop_listening(sk);
}

SEC("struct_ops")
u32 BPF_PROG(eln_ssthresh, struct sock *sk)
{
	return is_named(sk) ? tcp_sk(sk)->snd_cwnd : tcp_reno_ssthresh(sk);
}

/* A timeout always reduces the window, since no segment arrives. */
SEC("struct_ops")
void BPF_PROG(eln_cwnd_event, struct sock *sk, int event)
{
	if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(eln_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
u32 BPF_PROG(eln_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops eln = {
	.init = (void *)eln_init,
	.release = (void *)eln_release,
	.ssthresh = (void *)eln_ssthresh,
	.cong_avoid = (void *)eln_cong_avoid,
	.cwnd_event = (void *)eln_cwnd_event,
	.undo_cwnd = (void *)eln_undo_cwnd,
	.name = "bpf_eln",
};
