// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP Vegas: L. Brakmo and L. Peterson, TCP Vegas: End to End Congestion Avoidance on a Global Internet, IEEE JSAC 13(8), 1995.
 *
 * Once per round trip the scheme compares the expected rate (window / smallest round-trip time) with the actual rate; the difference tells how
 * many segments of the connection are queued. The kernel's early loss repair (RACK) replaces Vegas' repair.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Queued segments: below ALPHA the window grows, above BETA it shrinks, above GAMMA slow start ends (section IV). */
#define ALPHA 1
#define BETA 3
#define GAMMA 1

/* Growth of the window by each ACK of this round: none, 1 / cwnd, or one segment. */
enum { STAYS, GROWS_LINEARLY, DOUBLES };

struct vegas {
	u64 began; /* start of the round, us */
	u64 sum; /* sum of the round-trip times of the round, us */
	u32 samples;
	u32 end; /* the round ends when data beyond this number is acknowledged */
	u32 base; /* smallest round-trip time so far, us; 0: none */
	u32 rtt; /* round-trip time of the current ACK, us; 0: none */
	u8 growth;
	bool pauses; /* slow start: true in every second round, which has no growth and at whose end the rates are compared */
};

SEC("struct_ops")
void BPF_PROG(vegas_init, struct sock *sk)
{
	struct vegas *v = STATE(struct vegas, sk);

	v->end = tcp_sk(sk)->snd_una;
	v->began = tcp_sk(sk)->tcp_mstamp;
}

/* Data in flight at the arrival of the current ACK, bytes. */
static u32 in_use(const struct tcp_sock *tp)
{
	return tp->snd_nxt - tp->snd_una + tp->mss_cache;
}

/* Queued segments, rounded to the nearest: Diff = (Expected - Actual) BaseRTT (section IV-B). Expected is the used window divided by BaseRTT. Actual
 * is the data sent in the round, divided by the round's mean round-trip time. */
static u32 diff(const struct tcp_sock *tp, struct vegas *v)
{
	u32 sent = tp->snd_nxt - v->end;
	u64 rtt = v->samples ? v->sum / v->samples : tp->tcp_mstamp - v->began;
	u64 arrives;

	v->base = !v->base || sent <= tp->mss_cache ? rtt : min(v->base, rtt);
	arrives = rtt ? (u64)sent * v->base / rtt : sent;
	return in_use(tp) > arrives ? (in_use(tp) - arrives + tp->mss_cache / 2) / tp->mss_cache : 0;
}

/* Decides once per round trip about the window: in slow start it doubles every other round (section IV-C), later it follows the queue (IV-B). */
static void decide(struct tcp_sock *tp, struct vegas *v)
{
	u32 queued = diff(tp, v);

	v->growth = STAYS;
	if (in_slow_start(tp)) {
		v->pauses = !v->pauses;
		if (!v->pauses && queued > GAMMA) {
			tp->snd_ssthresh = 2;
			tp->snd_cwnd = max(tp->snd_cwnd - tp->snd_cwnd / 8, 2U);
		} else if (!v->pauses) {
			v->growth = DOUBLES;
		}
	} else if (queued > BETA) {
		tp->snd_cwnd = max(tp->snd_cwnd - 1, 2U);
	} else if (queued < ALPHA) {
		v->growth = GROWS_LINEARLY;
	}
	v->end = tp->snd_nxt;
	v->began = tp->tcp_mstamp;
	v->sum = 0;
	v->samples = 0;
}

SEC("struct_ops")
void BPF_PROG(vegas_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	STATE(struct vegas, sk)->rtt = max(sample->rtt_us, 0);
}

SEC("struct_ops")
void BPF_PROG(vegas_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct vegas *v = STATE(struct vegas, sk);

	if (after(tp->snd_una, v->end))
		decide(tp, v);
	/* An unused window does not grow. */
	if (tp->snd_cwnd <= in_use(tp) / tp->mss_cache + 2) {
		if (v->growth == DOUBLES && in_slow_start(tp))
			grow(tp, (u64)ONE * tp->snd_cwnd);
		else if (v->growth == GROWS_LINEARLY)
			grow(tp, ONE);
	}
	if (v->rtt) {
		v->sum += v->rtt;
		v->samples++;
		v->base = v->base ? min(v->base, v->rtt) : v->rtt;
	}
}

/* Section III: a loss reduces the window by a quarter. */
SEC("struct_ops")
u32 BPF_PROG(vegas_ssthresh, struct sock *sk)
{
	u32 cwnd = tcp_sk(sk)->snd_cwnd;

	return max(cwnd - cwnd / 4, 2U);
}

/* After duplicate ACKs no slow start follows; after a timeout slow start goes up to half of the window, as in Reno. */
SEC("struct_ops")
void BPF_PROG(vegas_cwnd_event, struct sock *sk, int event)
{
	if (event == CA_EVENT_COMPLETE_CWR)
		tcp_sk(sk)->snd_ssthresh = 2;
	else if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
u32 BPF_PROG(vegas_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops vegas = {
	.init = (void *)vegas_init,
	.ssthresh = (void *)vegas_ssthresh,
	.cong_avoid = (void *)vegas_cong_avoid,
	.cwnd_event = (void *)vegas_cwnd_event,
	.pkts_acked = (void *)vegas_pkts_acked,
	.undo_cwnd = (void *)vegas_undo_cwnd,
	.name = "bpf_vegas",
};
