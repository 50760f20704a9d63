// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * H-TCP: D. Leith and R. Shorten, H-TCP: TCP for High-Speed and Long-Distance Networks, PFLDnet 2004; draft-leith-tcp-htcp-06, 2008.
 *
 * The longer the last loss is past, the faster the window grows. A loss reduces the window by the amount that empties the queue.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Delta_L: time after a loss during which the window grows as Reno's, us. */
#define DELTA_L SECOND
/* Bounds of beta, in 1/1024. */
#define BETA_MIN (ONE / 2)
#define BETA_MAX 819 /* 0.8 */
/* Scaling of alpha by the round-trip time: the time, us, at which the factor is 1; and the bounds of the factor, in 1/1024. */
#define REFERENCE 100000
#define SCALE_MIN (ONE / 10)
#define SCALE_MAX (2 * ONE)
/* A sample that exceeds the longest round-trip time by more than this, us, is ignored: a single late ACK does not show a queue. */
#define LONGEST_STEP 20000

/* State that a loss changes and an undo restores, in addition to the window. */
struct memory {
	u64 since; /* time of the last loss, or of the first ACK, us; 0: none */
	u32 longest; /* longest round-trip time, us; 0: none */
	u32 rate; /* rate before the last loss, segments per second; 0: none */
};

struct htcp {
	struct memory now, before;
	u64 began; /* start of a rate sample, us; 0: no sample in progress */
	u32 segments; /* segments delivered since `began` */
	u32 mean; /* mean rate, segments per second */
	u32 greatest; /* largest mean rate since the last loss; 0: none */
	u32 least; /* smallest round-trip time so far, us; 0: none */
	u32 rtt; /* round-trip time of the current ACK, us; 0: none */
	u32 cumulative; /* segments acknowledged by the current ACK */
	u32 beta; /* share of the window that remains after a loss, in 1/1024 */
	u32 point; /* snd_nxt at the last loss: a loss below it is in the same window of data */
};

SEC("struct_ops")
void BPF_PROG(htcp_init, struct sock *sk)
{
	struct htcp *h = STATE(struct htcp, sk);

	h->beta = BETA_MIN;
	h->point = tcp_sk(sk)->snd_una;
}

/* alpha, segments per round trip, in 1/1024: 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2, Delta seconds after the last loss. It is scaled
 * by the round-trip time, to at least 1, then multiplied by 2 (1 - beta): so the mean rate is Reno's with any beta. */
static u64 alpha(const struct htcp *h, u64 delta)
{
	u64 late = delta > DELTA_L ? (delta - DELTA_L) * ONE / SECOND : 0;
	u64 alpha = ONE + 10 * late + late * late / 4 / ONE;

	if (h->least)
		alpha = max(alpha * clamp((u64)h->least * ONE / REFERENCE, (u64)SCALE_MIN, (u64)SCALE_MAX) / ONE, (u64)ONE);
	return 2 * (ONE - h->beta) * alpha / ONE;
}

static void note(struct htcp *h)
{
	u32 longest = max(h->now.longest, h->least);

	h->now.longest = h->rtt <= longest + LONGEST_STEP ? max(longest, h->rtt) : longest;
}

/* Delivery rate outside recovery. A sample lasts a round trip and cwnd - alpha segments, or more. In the first four round trips after a loss the
 * mean is the latest sample; later it is a moving average with weight 3/4 for the old mean. */
static void measure(struct htcp *h, const struct tcp_sock *tp, u32 acked, u64 alpha)
{
	u64 now = tp->tcp_mstamp, elapsed = now - h->began;
	u32 sample;

	if (!h->began) {
		h->began = now;
		return;
	}
	h->segments += acked;
	if ((u64)h->segments * ONE + alpha < (u64)tp->snd_cwnd * ONE || elapsed < h->least || !elapsed)
		return;
	sample = h->segments * SECOND / elapsed;
	if (now - h->now.since >= 4 * (u64)h->least) {
		h->mean = (3ULL * h->mean + sample) / 4;
		h->greatest = max(h->greatest, h->mean);
	} else {
		h->mean = sample;
		h->greatest = sample;
	}
	h->began = now;
	h->segments = 0;
}

SEC("struct_ops")
void BPF_PROG(htcp_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct htcp *h = STATE(struct htcp, sk);

	h->rtt = max(sample->rtt_us, 0);
	h->cumulative = sample->pkts_acked;
	if (h->rtt)
		h->least = h->least ? min(h->least, h->rtt) : h->rtt;
}

SEC("struct_ops")
void BPF_PROG(htcp_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct htcp *h = STATE(struct htcp, sk);
	u64 more;

	/* If an ACK covers segments that SACK reported earlier, they waited for a retransmission: no sample of queueing delay. */
	if (h->rtt && acked == h->cumulative)
		note(h);
	if (!h->now.since)
		h->now.since = tp->tcp_mstamp;
	more = alpha(h, tp->tcp_mstamp - h->now.since);
	if (h->least)
		measure(h, tp, acked, more);
	grow(tp, slow_start(tp, acked) * more);
}

/* beta = RTTmin / RTTmax, which just empties the queue; 1/2 if the rate has changed by more than a fifth since the previous loss or is unknown. */
static u32 adapt(const struct htcp *h)
{
	u64 before = h->now.rate, now = h->greatest;
	u64 change = now > before ? now - before : before - now;

	if (!before || !now || 5 * change > before || !h->least || !h->now.longest)
		return BETA_MIN;
	return clamp((u64)h->least * ONE / h->now.longest, (u64)BETA_MIN, (u64)BETA_MAX);
}

SEC("struct_ops")
u32 BPF_PROG(htcp_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct htcp *h = STATE(struct htcp, sk);

	if (!after(h->point, tp->snd_una))
		h->before = h->now;
	h->point = tp->snd_nxt;
	h->beta = adapt(h);
	/* The longest round-trip time decreases by a twentieth of its excess over the smallest. */
	if (h->least && h->now.longest > h->least)
		h->now.longest -= (h->now.longest - h->least) / 20;
	h->now.since = tp->tcp_mstamp;
	h->now.rate = h->greatest;
	/* A new rate sample begins after the recovery. */
	h->began = 0;
	h->segments = 0;
	return max(tp->snd_cwnd * (u64)h->beta / ONE, 2ULL);
}

SEC("struct_ops")
u32 BPF_PROG(htcp_undo_cwnd, struct sock *sk)
{
	STATE(struct htcp, sk)->now = STATE(struct htcp, sk)->before;
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops htcp = {
	.init = (void *)htcp_init,
	.ssthresh = (void *)htcp_ssthresh,
	.cong_avoid = (void *)htcp_cong_avoid,
	.pkts_acked = (void *)htcp_pkts_acked,
	.undo_cwnd = (void *)htcp_undo_cwnd,
	.name = "bpf_htcp",
};
