/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connection for tests of a scheme without a kernel: each file of bpf/laws includes the source of a scheme, compiled for the local machine, and
 * compares its windows with numbers computed by hand from the scheme's paper.
 */
#ifndef LAWS_H
#define LAWS_H

int printf(const char *format, ...);

static int failures;

/* Windows are integers, in segments or 1/1024 of a segment, so tests compare for equality. */
#define EQUAL(found, expected)                                                                              \
	do {                                                                                                \
		long long f = (found), e = (expected);                                                      \
		if (f != e) {                                                                               \
			printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #found, f, e);          \
			failures++;                                                                         \
		}                                                                                           \
	} while (0)

static struct tcp_sock connection;
static struct tcp_sock *const tp = &connection;

/* Calls a program for the connection; its arguments are an array of 64-bit words. */
#define CALL(program, ...) program((unsigned long long[]){ (unsigned long long)&connection, ##__VA_ARGS__ })

static u32 half(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

static u32 former(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

static u32 start(struct tcp_sock *tp, u32 acked)
{
	u32 used = min(acked, tp->snd_ssthresh - tp->snd_cwnd);

	tp->snd_cwnd = min(tp->snd_cwnd + used, tp->snd_cwnd_clamp);
	return acked - used;
}

/* As tcp_cong_avoid_ai: if `w` has fallen below the stored count, the count adds one segment. */
static void avoid_congestion(struct tcp_sock *tp, u32 w, u32 acked)
{
	u32 grown = tp->snd_cwnd_cnt >= w, counted = acked + (grown ? 0 : tp->snd_cwnd_cnt);

	tp->snd_cwnd = min(tp->snd_cwnd + grown + counted / w, tp->snd_cwnd_clamp);
	tp->snd_cwnd_cnt = counted % w;
}

static void grow_as_reno(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!is_cwnd_limited(tp))
		return;
	if (in_slow_start(tp))
		acked = start(tp, acked);
	if (acked)
		avoid_congestion(tp, tp->snd_cwnd, acked);
}

/* A new connection with this window, fully used; a segment has 1000 bytes, and the clock is at one second. */
static inline void connect(u32 cwnd, u32 ssthresh)
{
	tcp_reno_ssthresh = half;
	tcp_reno_undo_cwnd = former;
	tcp_slow_start = start;
	tcp_cong_avoid_ai = avoid_congestion;
	tcp_reno_cong_avoid = grow_as_reno;
	connection = (struct tcp_sock){ .snd_cwnd = cwnd,
					.snd_ssthresh = ssthresh,
					.snd_cwnd_clamp = ~0U,
					.max_packets_out = 1 << 20,
					.is_cwnd_limited = 1,
					.mss_cache = 1000,
					.tcp_mstamp = SECOND };
}

/* An ACK of `segments` segments, `us` after the last one, with a round-trip sample of `rtt` us. */
#define ACK(scheme, us, segments, rtt)                                                                      \
	do {                                                                                                \
		struct ack_sample sample = { .pkts_acked = (segments), .rtt_us = (rtt) };                   \
		tp->tcp_mstamp += (us);                                                                     \
		tp->delivered += (segments);                                                                \
		tp->snd_una += (segments)*tp->mss_cache;                                                    \
		tp->snd_nxt = max(tp->snd_nxt, tp->snd_una);                                                \
		CALL(scheme##_pkts_acked, (unsigned long long)&sample);                                     \
	} while (0)

#endif
