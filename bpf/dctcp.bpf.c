// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * DCTCP: RFC 8257, Data Center TCP, 2017, for networks whose switches mark every packet above one queue threshold, and whose hosts all run DCTCP.
 *
 * The share of marked segments determines the window reduction. Both hosts need DCTCP: cwnd_event contains the receiver's part.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Alpha and shares are in 1/2^20, so that alpha can fall almost to zero without marks. */
#define SHARE_BITS 20
/* The gain g of alpha is 1/16 (section 4.2). */
#define GAIN_BITS 4

struct dctcp {
	u32 alpha; /* DCTCP.Alpha */
	u32 end; /* DCTCP.WindowEnd: the window ends when data beyond this number is acknowledged */
	u32 delivered; /* delivered segments at the start of the window */
	u32 delivered_ce;
	u32 rcv_nxt; /* receiver: next expected byte before the latest segment arrived */
	bool is_marked; /* receiver, DCTCP.CE: true if the latest segment had a mark */
	bool repairs; /* true in fast recovery */
};

static void begin_window(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *d = STATE(struct dctcp, sk);

	d->end = tp->snd_nxt;
	d->delivered = tp->delivered;
	d->delivered_ce = tp->delivered_ce;
}

/* Section 3.3, step 2: alpha is initially 1, so the first mark halves the window. */
SEC("struct_ops")
void BPF_PROG(dctcp_init, struct sock *sk)
{
	struct dctcp *d = STATE(struct dctcp, sk);

	d->alpha = 1 << SHARE_BITS;
	d->rcv_nxt = tcp_sk(sk)->rcv_nxt;
	begin_window(sk);
}

/* Section 3.3, steps 1 to 8: once per window, alpha moves towards the share of marked segments by g of the difference. */
SEC("struct_ops")
void BPF_PROG(dctcp_in_ack_event, struct sock *sk, u32 flags)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *d = STATE(struct dctcp, sk);
	u32 delivered = tp->delivered - d->delivered;
	u64 marked = tp->delivered_ce - d->delivered_ce;

	if (!after(tp->snd_una, d->end) || !delivered)
		return;
	d->alpha -= d->alpha >> GAIN_BITS;
	d->alpha += (u32)((marked << SHARE_BITS) / delivered) >> GAIN_BITS;
	d->alpha = min(d->alpha, 1U << SHARE_BITS);
	begin_window(sk);
}

/* Section 3.3, step 9: "cwnd = cwnd * (1 - DCTCP.Alpha / 2)". */
SEC("struct_ops")
u32 BPF_PROG(dctcp_ssthresh, struct sock *sk)
{
	u64 cwnd = tcp_sk(sk)->snd_cwnd;
	u64 less = (cwnd * STATE(struct dctcp, sk)->alpha) >> (SHARE_BITS + 1);

	return max((u32)(cwnd - less), 2U);
}

/* Section 3.4: growth as in conventional TCP. */
SEC("struct_ops")
void BPF_PROG(dctcp_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

/* Section 3.5: a loss halves the window, as in conventional TCP. */
SEC("struct_ops")
void BPF_PROG(dctcp_set_state, struct sock *sk, u8 new_state)
{
	struct dctcp *d = STATE(struct dctcp, sk);

	if (new_state == TCP_CA_Recovery && !d->repairs)
		tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
	d->repairs = new_state == TCP_CA_Recovery;
}

/* Sets or clears ECE on all later ACKs. */
static void echo(struct tcp_sock *tp, bool marked)
{
	tp->ecn_flags = marked ? tp->ecn_flags | TCP_ECN_DEMAND_CWR : tp->ecn_flags & ~TCP_ECN_DEMAND_CWR;
}

/* Section 3.2, the receiver, when marks begin or end: if an ACK for the earlier segments is pending, it is sent immediately with their ECE. The
 * segment that changes ECE is acknowledged immediately too. So the ECE of each byte equals its mark. */
static void arrives(struct sock *sk, bool marked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	struct dctcp *d = STATE(struct dctcp, sk);

	if (marked != d->is_marked) {
		if (icsk->icsk_ack.pending & ICSK_ACK_TIMER) {
			echo(tp, d->is_marked);
			bpf_tcp_send_ack(tp, d->rcv_nxt);
		}
		icsk->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	d->is_marked = marked;
	d->rcv_nxt = tp->rcv_nxt;
	echo(tp, marked);
}

SEC("struct_ops")
void BPF_PROG(dctcp_cwnd_event, struct sock *sk, int event)
{
	switch (event) {
	case CA_EVENT_ECN_IS_CE:
		arrives(sk, 1);
		break;
	case CA_EVENT_ECN_NO_CE:
		arrives(sk, 0);
		break;
	case CA_EVENT_LOSS:
		tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
		break;
	}
}

SEC("struct_ops")
u32 BPF_PROG(dctcp_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops dctcp = {
	.init = (void *)dctcp_init,
	.ssthresh = (void *)dctcp_ssthresh,
	.cong_avoid = (void *)dctcp_cong_avoid,
	.set_state = (void *)dctcp_set_state,
	.cwnd_event = (void *)dctcp_cwnd_event,
	.in_ack_event = (void *)dctcp_in_ack_event,
	.undo_cwnd = (void *)dctcp_undo_cwnd,
	.flags = TCP_CONG_NEEDS_ECN,
	.name = "bpf_dctcp",
};
