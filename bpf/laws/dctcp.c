// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 8257 section 3, with the receiver's two states (figure 1). */
#include "../dctcp.bpf.c"
#include "laws.h"

static u32 sent;

/* Stores the ACKs that the receiver requests: acknowledgement number, and ECE. */
static long send_ack(void *sk, u32 rcv_nxt)
{
	sent = rcv_nxt * 10 + !!(tp->ecn_flags & TCP_ECN_DEMAND_CWR);
	return 0;
}

/* Acknowledges a window of `delivered` segments, of which `marked` have a CE mark. */
static void window(u32 delivered, u32 marked)
{
	tp->delivered += delivered;
	tp->delivered_ce += marked;
	tp->snd_una = tp->snd_nxt + 1;
	tp->snd_nxt += 1000;
	CALL(dctcp_in_ack_event, 0);
}

static void receive(int event, u32 rcv_nxt)
{
	sent = 0;
	tp->inet_conn.icsk_ack.pending = ICSK_ACK_TIMER;
	tp->rcv_nxt = rcv_nxt;
	CALL(dctcp_cwnd_event, event);
}

int main(void)
{
	struct dctcp *d = STATE(struct dctcp, (struct sock *)&connection);

	airhop_tcp_send_ack = send_ack;
	/* Alpha is initially 1: the first mark halves the window. */
	connect(100, 200);
	CALL(dctcp_init);
	EQUAL(CALL(dctcp_ssthresh), 50);
	/* After a window of 10 segments with 4 marks, alpha is 15/16 + 0.4/16, in 1/2^20. */
	window(10, 4);
	EQUAL(d->alpha, 983040 + 26214);
	/* An ACK of the last byte of the window does not end the window. */
	tp->snd_una = d->end;
	tp->delivered += 5;
	CALL(dctcp_in_ack_event, 0);
	EQUAL(d->alpha, 983040 + 26214);
	/* Without marks alpha falls towards 0; if all segments are marked, it rises to 1. */
	for (int n = 0; n < 300; n++)
		window(10, 0);
	EQUAL(d->alpha < 16, 1);
	EQUAL(CALL(dctcp_ssthresh), 100);
	for (int n = 0; n < 300; n++)
		window(10, 10);
	EQUAL(d->alpha, 1 << 20);
	tp->snd_cwnd = 3;
	EQUAL(CALL(dctcp_ssthresh), 2);

	/* Section 3.5: a loss and a timeout halve the window for any alpha. */
	connect(100, 200);
	CALL(dctcp_init);
	d->alpha = 0;
	CALL(dctcp_set_state, TCP_CA_CWR);
	EQUAL(tp->snd_ssthresh, 200);
	CALL(dctcp_set_state, TCP_CA_Recovery);
	EQUAL(tp->snd_ssthresh, 50);
	tp->snd_cwnd = 60;
	CALL(dctcp_set_state, TCP_CA_Recovery);
	EQUAL(tp->snd_ssthresh, 50);
	CALL(dctcp_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 30);

	/* Section 3.2: when marks begin or end, a pending ACK for the earlier data leaves with the old ECE, and an immediate ACK has the new ECE. */
	connect(10, 10);
	CALL(dctcp_init);
	receive(CA_EVENT_ECN_NO_CE, 11);
	EQUAL(sent, 0);
	EQUAL(tp->inet_conn.icsk_ack.pending, ICSK_ACK_TIMER);
	receive(CA_EVENT_ECN_IS_CE, 12);
	EQUAL(sent, 110);
	EQUAL(tp->inet_conn.icsk_ack.pending, ICSK_ACK_TIMER | ICSK_ACK_NOW);
	EQUAL(tp->ecn_flags, TCP_ECN_DEMAND_CWR);
	receive(CA_EVENT_ECN_IS_CE, 13);
	EQUAL(sent, 0);
	receive(CA_EVENT_ECN_NO_CE, 14);
	EQUAL(sent, 131);
	EQUAL(tp->ecn_flags, 0);
	return failures;
}
