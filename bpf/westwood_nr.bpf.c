// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP Westwood, the base of WestwoodVT (J. Koo, S.-G. Mun and H. Choo, ICCS 2007, LNCS 4490, pp. 538-541): C. Casetti, M. Gerla, S. Mascolo,
 * M. Y. Sanadidi and R. Wang, TCP Westwood, MobiCom 2001. The kernel's loss recovery replaces NewReno's.
 *
 * After a loss the window is the estimated bandwidth times the smallest round-trip time.
 */
#include "westwood.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("struct_ops")
void BPF_PROG(westwood_nr_init, struct sock *sk)
{
	begin(sk);
}

/* Segments that an ACK counts for, as in UCLA's module for ns-2, the paper's simulator. A duplicate ACK counts for one segment. An ACK of several
 * segments counts for those that duplicate ACKs have not counted, at least for one. */
static u32 counted(struct westwood *w, u32 acked)
{
	u32 before = w->accounted;

	if (!acked) {
		w->accounted++;
		return 1;
	}
	if (acked == 1)
		return 1;
	w->accounted = before >= acked ? before - acked : 0;
	return before >= acked ? 1 : acked - before;
}

SEC("struct_ops")
void BPF_PROG(westwood_nr_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	observe(sk, sample, counted(STATE(struct westwood, sk), sample->pkts_acked));
}

/* A loss never raises the window ("cwnd = ssthresh if cwnd > ssthresh"). */
SEC("struct_ops")
u32 BPF_PROG(westwood_nr_ssthresh, struct sock *sk)
{
	struct westwood *w = STATE(struct westwood, sk);

	w->filled = product(w);
	return min(w->filled, tcp_sk(sk)->snd_cwnd);
}

SEC("struct_ops")
void BPF_PROG(westwood_nr_cwnd_event, struct sock *sk, int event)
{
	end_reduction(sk, event);
}

SEC("struct_ops")
void BPF_PROG(westwood_nr_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
u32 BPF_PROG(westwood_nr_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops westwood_nr = {
	.init = (void *)westwood_nr_init,
	.ssthresh = (void *)westwood_nr_ssthresh,
	.cong_avoid = (void *)westwood_nr_cong_avoid,
	.cwnd_event = (void *)westwood_nr_cwnd_event,
	.pkts_acked = (void *)westwood_nr_pkts_acked,
	.undo_cwnd = (void *)westwood_nr_undo_cwnd,
	.name = "bpf_westwood_nr",
};
