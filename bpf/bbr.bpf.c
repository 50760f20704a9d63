// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * BBR v1: N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh and V. Jacobson, BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016;
 * draft-cardwell-iccrg-bbr-congestion-control-00, 2017, to which section numbers refer.
 *
 * The sender models the path by its largest delivery rate and its smallest round-trip time. It paces at this rate, with a window of about twice
 * the product of rate and time. The scheme alone sets the window (cong_control); the kernel changes the window after a timeout only.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* BBRHighGain, 2/ln 2, doubles the rate each round trip of startup (section 4.3.2). Its inverse drains the queue (4.3.3). Gains are in 1/1024. */
#define HIGH_GAIN 2955
#define DRAIN_GAIN 355
/* Window in bandwidth-delay products: two, so that delayed and aggregated ACKs do not stop the sender (section 4.2.3.2). */
#define CWND_GAIN (2 * ONE)
/* BBRGainCycleLen: phases of the gain cycle, one with pacing gain 5/4, one with 3/4, and six with 1 (section 4.3.4). */
#define CYCLE 8
#define UP_GAIN (5 * ONE / 4)
#define DOWN_GAIN (3 * ONE / 4)
/* BtlBwFilterLen: round trips before the current one whose largest rates are stored (section 4.1.1.3). */
#define BW_ROUNDS 10
/* RTpropFilterLen and ProbeRTTDuration, ms (sections 4.1.2.1 and 4.3.5). */
#define MIN_RTT_LASTS 10000
#define PROBE_RTT_LASTS 200
/* BBRMinPipeCwnd, segments: enough for a receiver with delayed ACKs (section 4.2.3.2). */
#define LEAST_CWND 4U
#define INITIAL_CWND 10U
/* Startup ends after this number of round trips without a growth of the rate by a quarter (section 4.3.2.2). */
#define FULL_PIPE_ROUNDS 3
/* Pacing at one per cent below the estimate, so that queues drain. */
#define PACED(rate) ((rate)*99 / 100)
/* update_room: round trips after which `room` begins a new maximum; and the largest room, as a time at the estimated rate, us. */
#define AGGREGATION_ROUNDS 5
#define AGGREGATION_LASTS (SECOND / 10)
/* Pacing rate, bytes per second, from which on at least two segments leave together; at a lower rate single segments leave. */
#define LOW_RATE 150000

enum { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

struct bbr {
	u32 bw[BW_ROUNDS + 1]; /* BBR.BtlBw: largest rate of each round trip, the current one first, segments per second in 1/1024 */
	u32 min_rtt; /* BBR.RTprop, us; 0: none */
	u32 min_rtt_at; /* ms */
	u32 phase_at; /* start of the phase of the gain cycle, us */
	u32 probed_until; /* end of ProbeRTT, ms; 0: the flight has not fallen to LEAST_CWND yet */
	u32 round_end; /* value of `delivered` at which the round trip ends */
	u32 full_bw; /* startup: largest rate when it last grew by a quarter */
	u32 prior_cwnd; /* window to restore after a recovery or after ProbeRTT */
	u32 excess_at; /* start of the comparison of ACKs with the rate, us */
	u32 excess_acked; /* segments acknowledged since excess_at */
	u16 room[2]; /* largest excess of arrivals over the rate, segments: in the current AGGREGATION_ROUNDS, and in the previous ones */
	u8 room_rounds;
	u8 mode;
	u8 phase; /* phase of the gain cycle */
	u8 full_rounds; /* round trips without growth of the rate */
	u8 state; /* state of loss recovery, TCP_CA_... */
	u8 repaired; /* state of loss recovery at the previous ACK */
	bool is_full; /* true if the pipe is full (BBR.filled_pipe) */
	bool conserves; /* first round trip of a recovery: packet conservation (section 4.2.3.4) */
	bool restarts; /* true from the end of a pause of the application to the next delivery */
	bool probed_round; /* true if a round trip has passed since the start of ProbeRTT */
	bool is_paced;
};

/* Values for the current ACK, in addition to its rate sample. */
struct ack {
	u64 bw; /* largest rate of the stored round trips, in the unit of bbr.bw */
	u32 in_flight;
	bool starts_round;
};

static u32 now_ms(const struct tcp_sock *tp)
{
	return tp->tcp_mstamp / 1000;
}

/* Segments neither delivered nor lost (RFC 6675 section 4, SetPipe). */
static u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

static u64 greatest_bw(const struct bbr *b)
{
	u32 bw = 0;

	for (int round = 0; round <= BW_ROUNDS; round++)
		bw = max(bw, b->bw[round]);
	return bw;
}

static u32 pacing_gain(const struct bbr *b)
{
	if (b->mode == STARTUP)
		return HIGH_GAIN;
	if (b->mode == DRAIN)
		return DRAIN_GAIN;
	if (b->mode == PROBE_RTT || b->phase > 1)
		return ONE;
	return b->phase == 0 ? UP_GAIN : DOWN_GAIN;
}

static u32 cwnd_gain(const struct bbr *b)
{
	if (b->mode == PROBE_BW)
		return CWND_GAIN;
	return b->mode == PROBE_RTT ? ONE : HIGH_GAIN;
}

/* Send quantum in segments: pacing rate times 1/1024 s (section 4.2.2: 1 ms), at most 64 KiB. */
static u32 send_quantum(struct sock *sk, u32 mss)
{
	u64 bytes = min((u64)sk->sk_pacing_rate >> 10, 65535ULL);

	return max((u32)(bytes / mss), sk->sk_pacing_rate < LOW_RATE ? 1U : 2U);
}

/* Target of the window, in segments: gain * BDP + room, and three send quanta for offloads (section 4.2.3.2). The target is even, for
 * receivers that acknowledge every second segment. The phase with gain 5/4 has two more, so that it has an effect with few segments. */
static u32 target(struct sock *sk, const struct bbr *b, u64 bw, u32 gain, u32 room)
{
	u64 product = bw * b->min_rtt / SECOND * gain / ONE;
	u32 segments;

	if (!b->min_rtt)
		return INITIAL_CWND;
	segments = (product + ONE - 1) / ONE + room + 3 * send_quantum(sk, tcp_sk(sk)->mss_cache);
	segments = (segments + 1) & ~1U;
	return segments + (b->mode == PROBE_BW && b->phase == 0 ? 2 : 0);
}

/* Number of segments in flight at the time of the next paced transmission, including this transmission if the gain exceeds 1. */
static u32 at_departure(struct sock *sk, const struct bbr *b, u64 bw, u32 segments)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 wait = tp->tcp_wstamp_ns > tp->tcp_clock_cache ? (tp->tcp_wstamp_ns - tp->tcp_clock_cache) / 1000 : 0;
	u64 leaves = bw * wait / SECOND / ONE;

	if (pacing_gain(b) > ONE)
		segments += send_quantum(sk, tp->mss_cache);
	return segments > leaves ? segments - leaves : 0;
}

/* Stores the window before a recovery or ProbeRTT (BBRSaveCwnd, section 4.2.3.4); restore_cwnd is BBRRestoreCwnd. */
static void save_cwnd(const struct tcp_sock *tp, struct bbr *b)
{
	if (b->repaired < TCP_CA_Recovery && b->mode != PROBE_RTT)
		b->prior_cwnd = tp->snd_cwnd;
	else
		b->prior_cwnd = max(b->prior_cwnd, tp->snd_cwnd);
}

static void restore_cwnd(struct tcp_sock *tp, const struct bbr *b)
{
	tp->snd_cwnd = max(tp->snd_cwnd, b->prior_cwnd);
}

/* Section 4.1.1: a round trip ends with the delivery of data that was sent after its start. Returns true at the end. */
static bool update_round(const struct tcp_sock *tp, struct bbr *b, const struct rate_sample *rs)
{
	if (after(b->round_end, rs->prior_delivered))
		return 0;
	b->round_end = tp->delivered;
	b->conserves = 0;
	for (int round = BW_ROUNDS; round > 0; round--)
		b->bw[round] = b->bw[round - 1];
	b->bw[0] = 0;
	return 1;
}

/* Section 4.1.1.3: an application-limited rate counts only if it is the largest rate. Returns true if a round trip begins. */
static bool update_bw(const struct tcp_sock *tp, struct bbr *b, const struct rate_sample *rs)
{
	u64 rate = rs->delivered * SECOND * ONE / rs->interval_us;
	u32 former = greatest_bw(b);
	bool starts_round = update_round(tp, b, rs);

	if (!rs->is_app_limited || rate >= former)
		b->bw[0] = max((u64)b->bw[0], min(rate, 0xffffffffULL));
	return starts_round;
}

/* Addition to the window for aggregated ACKs: the most data that ACKs reported beyond the estimated rate (draft -02, section 4.5.5). */
static void update_room(const struct tcp_sock *tp, struct bbr *b, const struct ack *a, u32 acked)
{
	u32 now = tp->tcp_mstamp, expected = a->bw * (now - b->excess_at) / SECOND / ONE;

	b->room_rounds += a->starts_round;
	if (b->room_rounds >= AGGREGATION_ROUNDS) {
		b->room_rounds = 0;
		b->room[1] = b->room[0];
		b->room[0] = 0;
	}
	if (b->excess_acked <= expected) {
		b->excess_at = now;
		b->excess_acked = 0;
		expected = 0;
	}
	b->excess_acked += acked;
	b->room[0] = max((u32)b->room[0], min(min(b->excess_acked - expected, tp->snd_cwnd), 0xffffU));
}

/* Section 4.3.4.3: a phase lasts one minimum round-trip time. The phase with gain 5/4 lasts longer, until a loss or until the flight has reached
 * its target; the phase with gain 3/4 ends earlier if the queue is empty. */
static void cycle(struct sock *sk, struct bbr *b, const struct ack *a, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 now = tp->tcp_mstamp, gain = pacing_gain(b), before;
	bool is_over = now - b->phase_at > b->min_rtt;

	if (b->mode != PROBE_BW || !b->min_rtt)
		return;
	before = at_departure(sk, b, a->bw, rs->prior_in_flight);
	if (gain > ONE)
		is_over = is_over && (rs->losses > 0 || before >= target(sk, b, a->bw, gain, 0));
	else if (gain < ONE)
		is_over = is_over || before <= target(sk, b, a->bw, ONE, 0);
	if (is_over) {
		b->phase = (b->phase + 1) % CYCLE;
		b->phase_at = now;
	}
}

/* Random phase, except 3/4, so that flows do not probe at the same time (section 4.3.4.3). */
static void enter_probe_bw(const struct tcp_sock *tp, struct bbr *b)
{
	b->mode = PROBE_BW;
	b->phase = (CYCLE - bpf_get_prandom_u32() % (CYCLE - 1)) % CYCLE;
	b->phase_at = tp->tcp_mstamp;
}

/* Section 4.3.2.2: the pipe is full after three round trips in which the rate did not grow by a quarter. */
static void check_full_pipe(struct bbr *b, const struct ack *a, const struct rate_sample *rs)
{
	if (b->is_full || !a->starts_round || rs->is_app_limited)
		return;
	if (a->bw * 4 >= b->full_bw * 5ULL) {
		b->full_bw = a->bw;
		b->full_rounds = 0;
		return;
	}
	b->full_rounds++;
	b->is_full = b->full_rounds >= FULL_PIPE_ROUNDS;
}

/* Sections 4.3.3 and 4.3.4: transitions from startup to drain to the gain cycle. */
static void change_mode(struct sock *sk, struct bbr *b, const struct ack *a)
{
	if (b->mode == STARTUP && b->is_full)
		b->mode = DRAIN;
	if (b->mode == DRAIN && at_departure(sk, b, a->bw, a->in_flight) <= target(sk, b, a->bw, ONE, 0))
		enter_probe_bw(tcp_sk(sk), b);
}

static void leave_probe_rtt(struct tcp_sock *tp, struct bbr *b)
{
	b->min_rtt_at = now_ms(tp);
	restore_cwnd(tp, b);
	if (b->is_full)
		enter_probe_bw(tp, b);
	else
		b->mode = STARTUP;
}

/* Section 4.3.5, ProbeRTT: four segments in flight for at least 200 ms and a round trip. Rate samples of that time are application-limited. */
static void probe_rtt(struct tcp_sock *tp, struct bbr *b, const struct ack *a)
{
	if (b->mode != PROBE_RTT)
		return;
	tp->app_limited = max(tp->delivered + a->in_flight, 1U);
	if (b->probed_until) {
		b->probed_round = b->probed_round || a->starts_round;
		if (b->probed_round && (s32)(now_ms(tp) - b->probed_until) > 0)
			leave_probe_rtt(tp, b);
	} else if (a->in_flight <= LEAST_CWND) {
		b->probed_until = max(now_ms(tp) + PROBE_RTT_LASTS, 1U);
		b->probed_round = 0;
		b->round_end = tp->delivered;
	}
}

/* Section 4.1.2: smallest round-trip time of the last ten seconds. When it expires, ProbeRTT begins. */
static void update_min_rtt(struct tcp_sock *tp, struct bbr *b, const struct ack *a, const struct rate_sample *rs)
{
	u32 now = now_ms(tp);
	bool is_old = b->min_rtt && now - b->min_rtt_at > MIN_RTT_LASTS;

	if (rs->rtt_us > 0 && (!b->min_rtt || rs->rtt_us < b->min_rtt || (is_old && !rs->is_ack_delayed))) {
		b->min_rtt = rs->rtt_us;
		b->min_rtt_at = now;
	}
	if (is_old && !b->restarts && b->mode != PROBE_RTT) {
		save_cwnd(tp, b);
		b->mode = PROBE_RTT;
		b->probed_until = 0;
	}
	probe_rtt(tp, b, a);
	if (rs->delivered > 0)
		b->restarts = 0;
}

/* Section 4.2.1: pacing rate, which does not decrease before the pipe is full. The first rate is HIGH_GAIN * window / srtt. */
static void set_rate(struct sock *sk, struct bbr *b, u64 bw)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 rate = PACED(bw * tp->mss_cache / ONE * pacing_gain(b) / ONE);

	if (!b->is_paced) {
		u64 srtt = max(tp->srtt_us >> 3, 1000U);

		sk->sk_pacing_rate = (u64)tp->snd_cwnd * tp->mss_cache * SECOND / srtt * HIGH_GAIN / ONE;
		b->is_paced = 1;
	}
	if (b->is_full || rate > sk->sk_pacing_rate)
		sk->sk_pacing_rate = max(rate, 1ULL);
}

/* Section 4.2.3.4, BBRModulateCwndForRecovery: each loss reduces the window by the lost segments. Packet conservation applies in the first round
 * trip of a recovery. After the recovery the window is restored. */
static void recover(struct tcp_sock *tp, struct bbr *b, const struct rate_sample *rs, u32 conserved)
{
	u32 lost = max(rs->losses, 0);

	tp->snd_cwnd = tp->snd_cwnd > lost ? tp->snd_cwnd - lost : 1;
	if (b->state == TCP_CA_Recovery && b->repaired != TCP_CA_Recovery) {
		b->conserves = 1;
		b->round_end = tp->delivered;
		tp->snd_cwnd = conserved;
	} else if (b->state < TCP_CA_Recovery && b->repaired >= TCP_CA_Recovery) {
		b->conserves = 0;
		restore_cwnd(tp, b);
	}
	b->repaired = b->state;
}

static void set_cwnd(struct sock *sk, struct bbr *b, const struct ack *a, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 acked = rs->acked_sacked, conserved = max(a->in_flight + acked, 1U), cwnd;
	u32 most = a->bw * AGGREGATION_LASTS / SECOND / ONE;
	u32 room = b->is_full ? min(max(b->room[0], b->room[1]), most) : 0;

	if (acked) {
		recover(tp, b, rs, conserved);
		cwnd = tp->snd_cwnd;
		if (b->conserves)
			cwnd = max(cwnd, conserved);
		else if (b->is_full)
			cwnd = min(cwnd + acked, target(sk, b, a->bw, cwnd_gain(b), room));
		else if (cwnd < target(sk, b, a->bw, cwnd_gain(b), room) || tp->delivered < INITIAL_CWND)
			cwnd += acked;
		if (!b->conserves)
			cwnd = max(cwnd, LEAST_CWND);
		tp->snd_cwnd = min(cwnd, tp->snd_cwnd_clamp);
	}
	if (b->mode == PROBE_RTT)
		tp->snd_cwnd = min(tp->snd_cwnd, LEAST_CWND);
}

SEC("struct_ops")
void BPF_PROG(bbr_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *b = STATE(struct bbr, sk);

	b->round_end = tp->delivered;
	b->prior_cwnd = tp->snd_cwnd;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	pace(sk);
}

/* Updates the model of the path, then the pacing rate and the window, on each ACK (section 3.5). */
SEC("struct_ops")
void BPF_PROG(bbr_cong_control, struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *b = STATE(struct bbr, sk);
	bool has_rate = rs->delivered > 0 && rs->interval_us > 0;
	struct ack a = { .in_flight = in_flight(tp) };

	if (has_rate)
		a.starts_round = update_bw(tp, b, rs);
	a.bw = greatest_bw(b);
	if (has_rate)
		update_room(tp, b, &a, rs->acked_sacked);
	cycle(sk, b, &a, rs);
	check_full_pipe(b, &a, rs);
	change_mode(sk, b, &a);
	update_min_rtt(tp, b, &a, rs);
	set_rate(sk, b, a.bw);
	set_cwnd(sk, b, &a, rs);
}

/* A loss is no congestion signal; the window is restored after the recovery. */
SEC("struct_ops")
u32 BPF_PROG(bbr_ssthresh, struct sock *sk)
{
	save_cwnd(tcp_sk(sk), STATE(struct bbr, sk));
	return tcp_sk(sk)->snd_ssthresh;
}

SEC("struct_ops")
void BPF_PROG(bbr_set_state, struct sock *sk, u8 new_state)
{
	struct bbr *b = STATE(struct bbr, sk);

	b->state = new_state;
	if (new_state != TCP_CA_Loss)
		return;
	/* Startup compares the rate anew, since the loss may have reduced the rate samples. */
	b->repaired = new_state;
	b->full_bw = 0;
}

/* Section 4.3.4.4: after a pause the sender paces at gain 1, so that it builds no queue; the pause causes no ProbeRTT. */
SEC("struct_ops")
void BPF_PROG(bbr_cwnd_event, struct sock *sk, int event)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *b = STATE(struct bbr, sk);

	if (event != CA_EVENT_TX_START || !tp->app_limited)
		return;
	b->restarts = 1;
	b->excess_at = tp->tcp_mstamp;
	b->excess_acked = 0;
	if (b->mode == PROBE_BW)
		sk->sk_pacing_rate = max(PACED(greatest_bw(b) * tp->mss_cache / ONE), 1ULL);
	else if (b->mode == PROBE_RTT && b->probed_until && b->probed_round && (s32)(now_ms(tp) - b->probed_until) > 0)
		leave_probe_rtt(tp, b);
}

SEC("struct_ops")
u32 BPF_PROG(bbr_undo_cwnd, struct sock *sk)
{
	STATE(struct bbr, sk)->full_bw = 0;
	return tcp_sk(sk)->snd_cwnd;
}

SEC("struct_ops")
u32 BPF_PROG(bbr_min_tso_segs, struct sock *sk)
{
	return sk->sk_pacing_rate < LOW_RATE ? 1 : 2;
}

/* Send buffer in windows: three, since the window may double in a round trip during a recovery. */
SEC("struct_ops")
u32 BPF_PROG(bbr_sndbuf_expand, struct sock *sk)
{
	return 3;
}

SEC(".struct_ops")
struct tcp_congestion_ops bbr = {
	.init = (void *)bbr_init,
	.cong_control = (void *)bbr_cong_control,
	.ssthresh = (void *)bbr_ssthresh,
	.set_state = (void *)bbr_set_state,
	.cwnd_event = (void *)bbr_cwnd_event,
	.undo_cwnd = (void *)bbr_undo_cwnd,
	.min_tso_segs = (void *)bbr_min_tso_segs,
	.sndbuf_expand = (void *)bbr_sndbuf_expand,
	.name = "bpf_bbr",
};
