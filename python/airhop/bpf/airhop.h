/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel structures as a congestion control sees them, in place of vmlinux.h: the members that schemes use, by their
 * names. libbpf finds where the kernel at hand has them (CO-RE); who simulates finds them where this header has them, by the object's BTF.
 *
 * With AIRHOP_NATIVE the same source is a shared object for the machine at hand: programs are functions of the array of their arguments,
 * and kfuncs and helpers are pointers that whoever loads it sets.
 */
#ifndef AIRHOP_H
#define AIRHOP_H

typedef unsigned char __u8, u8;
typedef unsigned short __u16, u16, __be16;
typedef unsigned int __u32, u32, __be32, __wsum;
typedef unsigned long long __u64, u64;
typedef int __s32, s32;
typedef long long __s64, s64;
typedef _Bool bool;

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifdef AIRHOP_NATIVE
#define KFUNC(type, name, ...) type (*name)(__VA_ARGS__)
#define BITFIELD(structure, member) ((structure)->member)
u32 (*airhop_get_prandom_u32)(void);
void *(*airhop_map_lookup_elem)(void *map, const void *key);
long (*airhop_map_update_elem)(void *map, const void *key, const void *value, u64 flags);
long (*airhop_map_delete_elem)(void *map, const void *key);
long (*airhop_skb_load_bytes_relative)(const void *skb, u32 offset, void *to, u32 len, u32 start);
long (*airhop_tcp_send_ack)(void *tp, u32 rcv_nxt);
#define bpf_tcp_send_ack airhop_tcp_send_ack
#define bpf_get_prandom_u32 airhop_get_prandom_u32
#define bpf_map_lookup_elem airhop_map_lookup_elem
#define bpf_map_update_elem airhop_map_update_elem
#define bpf_map_delete_elem airhop_map_delete_elem
#define bpf_skb_load_bytes_relative airhop_skb_load_bytes_relative
#else
#include <bpf/bpf_core_read.h>
#define KFUNC(type, name, ...) extern type name(__VA_ARGS__) __ksym
#define BITFIELD(structure, member) BPF_CORE_READ_BITFIELD(structure, member)
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

/* Connection state of this end. */
struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	u16 skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u32 sk_pacing_status; /* enum sk_pacing */
	unsigned long sk_pacing_rate; /* bytes per second */
};

struct inet_sock {
	struct sock sk;
	__be16 inet_sport;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	struct {
		u8 pending; /* ICSK_ACK_... */
	} icsk_ack;
	u64 icsk_ca_priv[13]; /* a scheme's own state: zero when the connection begins */
};

/* Segments if not said otherwise. */
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 rcv_nxt; /* next byte expected from the other end */
	u32 snd_una; /* lowest byte not acknowledged */
	u32 snd_nxt; /* next byte to send */
	u32 mss_cache; /* bytes of a full segment */
	u32 snd_cwnd;
	u32 snd_cwnd_cnt; /* what has been gained of the next segment of the window */
	u32 snd_cwnd_clamp; /* the largest window */
	u32 snd_ssthresh;
	u32 prior_cwnd; /* when a reduction began */
	u32 max_packets_out; /* in flight at most, in the last window of data */
	u32 packets_out; /* sent and not acknowledged */
	u32 sacked_out; /* of these: arrived */
	u32 lost_out; /* of these: lost */
	u32 retrans_out; /* of these: sent again */
	u32 delivered; /* arrived so far, each once */
	u32 delivered_ce; /* of these: with a mark of congestion (RFC 3168) */
	u32 lost; /* taken to be lost so far */
	u32 srtt_us; /* smoothed round trip, in 1/8 us */
	u32 app_limited; /* not zero: the application has had less to send than the window allows */
	u64 tcp_mstamp; /* when the last packet came or went, us */
	u64 tcp_clock_cache; /* now, ns */
	u64 tcp_wstamp_ns; /* when the next segment may go, ns */
	u8 ecn_flags; /* TCP_ECN_... */
	u8 is_cwnd_limited : 1; /* the window was full in the last window of data */
};

/* Sample of an ACK of new data (pkts_acked). */
struct ack_sample {
	u32 pkts_acked; /* acknowledged cumulatively */
	s32 rtt_us; /* of the last segment that it shows to have arrived; negative: it was sent twice (Karn's rule) */
	u32 in_flight;
};

/* A sample of the rate of delivery (draft-cheng-iccrg-delivery-rate-estimation), with every ACK (cong_control). */
struct rate_sample {
	u32 prior_delivered; /* what had been delivered when the newest of these segments went out */
	s32 delivered; /* since then; negative: no sample */
	long interval_us; /* in this time; not positive: no sample */
	long rtt_us; /* negative: none */
	int losses; /* newly taken to be lost */
	u32 acked_sacked; /* newly delivered */
	u32 prior_in_flight;
	bool is_app_limited;
	bool is_ack_delayed;
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, int event);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
	u32 (*undo_cwnd)(struct sock *sk);
	u32 (*sndbuf_expand)(struct sock *sk);
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	u32 flags;
	char name[16];
};

#ifndef AIRHOP_NATIVE
#pragma clang attribute pop
#endif

/* set_state: state of the sender's loss recovery. */
enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };

/* cwnd_event: sending again with nothing in flight; the end of a reduction, after the window is ssthresh; a timeout, after ssthresh() and
 * before the window is cut; a segment came, without and with a mark. */
enum {
	CA_EVENT_TX_START = 0,
	CA_EVENT_COMPLETE_CWR = 2,
	CA_EVENT_LOSS = 3,
	CA_EVENT_ECN_NO_CE = 4,
	CA_EVENT_ECN_IS_CE = 5,
};

/* flags of a congestion control: its connections need ECN. */
enum { TCP_CONG_NEEDS_ECN = 2 };

/* ecn_flags: ACKs have ECE. */
enum { TCP_ECN_DEMAND_CWR = 4 };

/* icsk_ack.pending: a delayed ACK is due; one is due at once. */
enum { ICSK_ACK_TIMER = 2, ICSK_ACK_NOW = 16 };

enum { SK_PACING_NONE, SK_PACING_NEEDED };

/* Slow-start threshold before one is known. */
#define TCP_INFINITE_SSTHRESH 0x7fffffff

/* Reno's half of the window, two segments at least (RFC 5681 section 3.1, equation 4). */
KFUNC(u32, tcp_reno_ssthresh, struct sock *sk);
/* Reno's growth: both below, while the window is what limits the sender. */
KFUNC(void, tcp_reno_cong_avoid, struct sock *sk, u32 ack, u32 acked);
/* Window after an undo: the one before the spurious reduction, or the present one if that is larger. */
KFUNC(u32, tcp_reno_undo_cwnd, struct sock *sk);
/* Slow start: a segment for each that is acknowledged (RFC 3465 section 2.2), up to ssthresh; returns the acknowledged segments that are left. */
KFUNC(u32, tcp_slow_start, struct tcp_sock *tp, u32 acked);
/* A segment for each `w` that are acknowledged (RFC 3465 section 2.1). */
KFUNC(void, tcp_cong_avoid_ai, struct tcp_sock *tp, u32 w, u32 acked);

/* ---- fixed point: no floating point in the kernel, and no 64-bit signed division in BPF --------------------------------------- */

/* Shares, gains and parts of a segment count in 1/1024. */
#define ONE 1024
#define SECOND 1000000ULL /* us */

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp(value, least, most) min(max(value, least), most)

/* Sequence numbers wrap (RFC 9293 section 3.4). */
static inline bool after(u32 a, u32 b)
{
	return (s32)(b - a) < 0;
}

/* The cube root, rounded down: Newton's method, from that of 2^64 - 1, falls by a third a step until it is near. (The verifier follows both
 * ways of each bit of a search by bits: too many.) */
static inline u64 cube_root(u64 value)
{
	u64 root = 2642245;

	for (u32 step = 0; step < 48 && root; step++) {
		u64 next = (2 * root + value / (root * root)) / 3;

		if (next >= root)
			break;
		root = next;
	}
	return root;
}

/* ---- the connection ------------------------------------------------------------------------------------------------------------ */

/* The verifier knows that a struct sock of TCP is the beginning of its struct tcp_sock. */
static inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

/* The state of a scheme, a structure of its own: `STATE(struct veno, sk)`. There is room for 104 bytes. */
#define STATE(type, sk)                                                                       \
	({                                                                                    \
		_Static_assert(sizeof(type) <= 104, "icsk_ca_priv has 104 bytes");            \
		(type *)((struct inet_connection_sock *)(sk))->icsk_ca_priv;                  \
	})

/* RFC 5681 section 3.1. */
static inline bool in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

/* True if the window is used enough to grow: its unused part is untested (RFC 7661); in slow start half of it suffices. */
static inline bool is_cwnd_limited(struct tcp_sock *tp)
{
	if (in_slow_start(tp))
		return tp->snd_cwnd < 2 * tp->max_packets_out;
	return BITFIELD(tp, is_cwnd_limited);
}

/* Starts pacing by the kernel, unless the queue of the interface paces. */
static inline void pace(struct sock *sk)
{
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Slow start, as far as the window is used: returns the acknowledged segments that are left for congestion avoidance. */
static inline u32 slow_start(struct tcp_sock *tp, u32 acked)
{
	if (!in_slow_start(tp))
		return acked;
	return is_cwnd_limited(tp) ? tcp_slow_start(tp, acked) : 0;
}

/* The window grows by credit / cwnd segments, the credit in 1/1024 of a segment: the rest of the credit is kept. */
static inline void grow(struct tcp_sock *tp, u64 credit)
{
	u64 segment = (u64)tp->snd_cwnd * ONE, sum = tp->snd_cwnd_cnt + credit;

	if (!is_cwnd_limited(tp))
		return;
	tp->snd_cwnd = min(tp->snd_cwnd + sum / segment, (u64)tp->snd_cwnd_clamp);
	tp->snd_cwnd_cnt = sum % segment;
}

#endif
