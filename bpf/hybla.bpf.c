// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP Hybla: C. Caini and R. Firrincieli, TCP Hybla: a TCP enhancement for heterogeneous networks, International Journal of Satellite
 * Communications and Networking 22(5), 2004.
 *
 * A connection whose round-trip time is rho times a reference round-trip time grows its rate as fast as Reno does with the reference.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* RTT0, the reference round-trip time, us (section 3). */
#define RTT0 25000
/* Largest window, segments; with a large rho a single ACK could exceed it. */
#define LARGEST 65535U

/* Progress of the first flight: no ACK yet; partly acknowledged; completely acknowledged, or ended by a loss. */
enum { QUIET, HEARD, OVER };

struct hybla {
	u64 since; /* time of the first ACK, us */
	u32 una; /* first byte that the first ACK did not acknowledge */
	u32 end; /* end of the first flight: snd_nxt at its first ACK */
	u32 least; /* smallest round-trip time so far, us; 0: none */
	u32 beginning;
};

/* rho = RTT / RTT0, at least 1, in 1/1024 (equation 2). */
static u64 rho(const struct hybla *h)
{
	return max((u64)h->least * ONE / RTT0, (u64)ONE);
}

/* 2^rho - 1 in 1/1024: the product of 2^(1/2), 2^(1/4) and so on for the binary digits of rho's fraction. */
static u64 exponential(u64 rho)
{
	static const u64 roots[] = { 1518500250, 1276901417, 1170923762, 1121280436, 1097253708,
				     1085434106, 1079572136, 1076653033, 1075196443, 1074468888 }; /* in 1/2^30 */
	u64 power = 1 << 30;

	if (rho / ONE >= 16)
		return (u64)LARGEST * ONE;
	for (u32 digit = 0; digit < 10; digit++) {
		if (rho & (ONE / 2) >> digit)
			power = power * roots[digit] >> 30;
	}
	return (power << rho / ONE >> 20) - ONE;
}

/* Ends the first flight: the window is at least rho segments, and from now on the kernel paces segments (section 4). */
static void begin(struct sock *sk, struct hybla *h)
{
	struct tcp_sock *tp = tcp_sk(sk);

	h->beginning = OVER;
	tp->snd_cwnd = max(tp->snd_cwnd, (u32)(rho(h) / ONE));
	pace(sk);
}

/* Sets ssthresh by the ACKs of the first flight, during which the window does not grow: the rate at which this burst is acknowledged, times the
 * round-trip time (Hoe 1996, which the paper recommends). An ssthresh that is already finite is multiplied by rho instead. */
static void estimate(struct sock *sk, struct hybla *h)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 elapsed = tp->tcp_mstamp - h->since, bytes = tp->snd_una - h->una;

	if (h->beginning == QUIET && tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH && tp->packets_out) {
		h->since = tp->tcp_mstamp;
		h->una = tp->snd_una;
		h->end = tp->snd_nxt;
		h->beginning = HEARD;
		return;
	}
	if (h->beginning == HEARD && after(h->end, tp->snd_una))
		return;
	if (h->beginning == HEARD && elapsed && h->least)
		tp->snd_ssthresh = max(bytes * h->least / elapsed / tp->mss_cache, 2ULL);
	else if (h->beginning == QUIET && tp->snd_ssthresh < TCP_INFINITE_SSTHRESH)
		tp->snd_ssthresh = tp->snd_ssthresh * rho(h) / ONE;
	begin(sk, h);
}

/* Equation 8: each acknowledged segment adds 2^rho - 1 segments in slow start, and rho^2 / cwnd in congestion avoidance. */
SEC("struct_ops")
void BPF_PROG(hybla_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct hybla *h = STATE(struct hybla, sk);

	if (h->beginning != OVER)
		estimate(sk, h);
	if (h->beginning != OVER)
		return;
	if (in_slow_start(tp)) {
		grow(tp, acked * exponential(rho(h)) * tp->snd_cwnd);
		tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_ssthresh);
	} else {
		grow(tp, acked * (rho(h) * rho(h) / ONE));
	}
	tp->snd_cwnd = min(tp->snd_cwnd, LARGEST);
}

SEC("struct_ops")
void BPF_PROG(hybla_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct hybla *h = STATE(struct hybla, sk);
	u32 rtt = sample->rtt_us;

	if (sample->rtt_us > 0)
		h->least = h->least ? min(h->least, rtt) : rtt;
}

SEC("struct_ops")
u32 BPF_PROG(hybla_ssthresh, struct sock *sk)
{
	STATE(struct hybla, sk)->beginning = OVER;
	pace(sk);
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
u32 BPF_PROG(hybla_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops hybla = {
	.ssthresh = (void *)hybla_ssthresh,
	.cong_avoid = (void *)hybla_cong_avoid,
	.pkts_acked = (void *)hybla_pkts_acked,
	.undo_cwnd = (void *)hybla_undo_cwnd,
	.name = "bpf_hybla",
};
