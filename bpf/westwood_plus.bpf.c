// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP Westwood+: L. A. Grieco and S. Mascolo, Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas TCP Congestion
 * Control, CCR 34(2), 2004.
 *
 * Once per round trip the scheme samples the delivery rate. After a loss the window is this rate times the smallest round-trip time.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Rounds shorter than this are not sampled, us: ACKs arrive in bunches (section 2.1). */
#define SHORTEST_ROUND 50000

struct westwood_plus {
	u64 began; /* start of the round, us; 0: no round yet */
	u64 first; /* output of the first of two filters, segments per second in 1/1024 */
	u64 rate; /* bandwidth estimate, in the same unit; 0: none */
	u32 least; /* smallest round-trip time so far, us */
	u32 latest; /* latest round-trip time, us */
	u32 segments; /* segments delivered in this round */
	u32 delivered; /* segments delivered in total, at the last ACK */
	u32 filled; /* ssthresh that the last loss set */
};

SEC("struct_ops")
void BPF_PROG(westwood_plus_init, struct sock *sk)
{
	STATE(struct westwood_plus, sk)->delivered = tcp_sk(sk)->delivered;
}

/* Filters the rate by two exponential averages in series, each with weight 7/8 for its old value; the first sample passes unchanged. */
static void add_sample(struct westwood_plus *w, u64 sample)
{
	w->first = w->rate ? (7 * w->first + sample) / 8 : sample;
	w->rate = w->rate ? (7 * w->rate + w->first) / 8 : sample;
}

/* Samples the rate once per round (section 2.1): delivered segments, each counted once, by the duration. The ACK that ends a round counts in the next. */
SEC("struct_ops")
void BPF_PROG(westwood_plus_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct westwood_plus *w = STATE(struct westwood_plus, sk);
	u32 arrived = tp->delivered - w->delivered, rtt = sample->rtt_us;
	u64 elapsed;

	w->delivered = tp->delivered;
	if (sample->rtt_us > 0 && sample->pkts_acked) {
		w->latest = rtt;
		w->least = w->least ? min(w->least, rtt) : rtt;
	}
	if (!w->latest)
		return;
	if (!w->began)
		w->began = tp->tcp_mstamp;
	elapsed = tp->tcp_mstamp - w->began;
	if (elapsed > max(w->latest, (u32)SHORTEST_ROUND)) {
		add_sample(w, w->segments * SECOND * ONE / elapsed);
		w->segments = 0;
		w->began = tp->tcp_mstamp;
	}
	w->segments += arrived;
}

/* Section 2.2: ssthresh = BWE * RTTmin, at least two segments. A loss never raises the window. */
SEC("struct_ops")
u32 BPF_PROG(westwood_plus_ssthresh, struct sock *sk)
{
	struct westwood_plus *w = STATE(struct westwood_plus, sk);

	w->filled = max(w->rate * w->least / SECOND / ONE, 2ULL);
	return min(w->filled, tcp_sk(sk)->snd_cwnd);
}

/* After the repair of the loss, and after a timeout, slow start continues up to this ssthresh. */
SEC("struct_ops")
void BPF_PROG(westwood_plus_cwnd_event, struct sock *sk, int event)
{
	if (event == CA_EVENT_COMPLETE_CWR || event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = STATE(struct westwood_plus, sk)->filled;
}

SEC("struct_ops")
void BPF_PROG(westwood_plus_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
u32 BPF_PROG(westwood_plus_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops westwood_plus = {
	.init = (void *)westwood_plus_init,
	.ssthresh = (void *)westwood_plus_ssthresh,
	.cong_avoid = (void *)westwood_plus_cong_avoid,
	.cwnd_event = (void *)westwood_plus_cwnd_event,
	.pkts_acked = (void *)westwood_plus_pkts_acked,
	.undo_cwnd = (void *)westwood_plus_undo_cwnd,
	.name = "bpf_westwood_pl",
};
