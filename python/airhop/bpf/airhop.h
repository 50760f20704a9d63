/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel structures as a congestion control sees them, in place of vmlinux.h: the members that schemes use, with their
 * names. libbpf relocates the members to their offsets in the running kernel (CO-RE); a simulation uses the offsets of this header (BTF).
 *
 * With AIRHOP_NATIVE the same source is a shared object for the local machine: a program is a function of the array of its arguments,
 * and kfuncs and helpers are function pointers that the loading program sets.
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
	u64 icsk_ca_priv[13]; /* state of the scheme; zero when the connection begins */
};

/* Counts are in segments unless stated otherwise. */
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 rcv_nxt; /* next byte expected from the peer */
	u32 snd_una; /* lowest byte not acknowledged */
	u32 snd_nxt; /* next byte to send */
	u32 mss_cache; /* bytes of a full segment */
	u32 snd_cwnd;
	u32 snd_cwnd_cnt; /* growth of less than a segment, kept for the next ACKs; its unit depends on the scheme */
	u32 snd_cwnd_clamp; /* maximum window */
	u32 snd_ssthresh;
	u32 prior_cwnd; /* window before the latest reduction */
	u32 max_packets_out; /* largest packets_out in the last window of data */
	u32 packets_out; /* segments sent and not cumulatively acknowledged */
	u32 sacked_out; /* part of packets_out: reported as arrived by SACK */
	u32 lost_out; /* part of packets_out: marked lost */
	u32 retrans_out; /* part of packets_out: retransmitted */
	u32 delivered; /* number of arrived segments so far, each counted once */
	u32 delivered_ce; /* part of delivered: with a CE mark (RFC 3168) */
	u32 lost; /* number of segments marked lost so far */
	u32 srtt_us; /* smoothed round-trip time, 1/8 us */
	u32 app_limited; /* nonzero: the application had less to send than the window allows */
	u64 tcp_mstamp; /* time of the latest received or sent packet, us */
	u64 tcp_clock_cache; /* now, ns */
	u64 tcp_wstamp_ns; /* earliest departure time of the next segment, ns */
	u8 ecn_flags; /* TCP_ECN_... */
	u8 is_cwnd_limited : 1; /* true if the flight filled the window in the last window of data */
};

/* Argument of pkts_acked: sample of an ACK of new data. */
struct ack_sample {
	u32 pkts_acked; /* segments acknowledged cumulatively */
	s32 rtt_us; /* round trip of the last segment that the ACK reports; negative: that segment was retransmitted (Karn's rule) */
	u32 in_flight;
};

/* Argument of cong_control on every ACK: delivery rate sample (draft-cheng-iccrg-delivery-rate-estimation). */
struct rate_sample {
	u32 prior_delivered; /* value of `delivered` when the newest acknowledged segment was sent */
	s32 delivered; /* segments delivered since that segment was sent; negative: no sample */
	long interval_us; /* duration of the sample, us; not positive: no sample */
	long rtt_us; /* round-trip time sample, us; negative: none */
	int losses; /* segments newly marked lost */
	u32 acked_sacked; /* segments newly delivered */
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

/* Argument of set_state: state of the sender's loss recovery. */
enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };

/* Argument of cwnd_event, in this order: first transmission with nothing in flight; end of a reduction, when the window equals ssthresh;
 * timeout, after ssthresh() and before the window is reduced; arrival of a segment without a CE mark; arrival with a CE mark. */
enum {
	CA_EVENT_TX_START = 0,
	CA_EVENT_COMPLETE_CWR = 2,
	CA_EVENT_LOSS = 3,
	CA_EVENT_ECN_NO_CE = 4,
	CA_EVENT_ECN_IS_CE = 5,
};

/* Value of `flags` of a congestion control whose connections need ECN. */
enum { TCP_CONG_NEEDS_ECN = 2 };

/* Bit of ecn_flags: the host sends ECE with its ACKs. */
enum { TCP_ECN_DEMAND_CWR = 4 };

/* Bits of icsk_ack.pending: a delayed ACK is pending; an immediate ACK is pending. */
enum { ICSK_ACK_TIMER = 2, ICSK_ACK_NOW = 16 };

enum { SK_PACING_NONE, SK_PACING_NEEDED };

/* Initial slow-start threshold. */
#define TCP_INFINITE_SSTHRESH 0x7fffffff

/* Reno's ssthresh after a loss: half of the window, at least two segments (RFC 5681 section 3.1, equation 4). */
KFUNC(u32, tcp_reno_ssthresh, struct sock *sk);
/* Reno's growth while the window limits the sender: tcp_slow_start, then tcp_cong_avoid_ai. */
KFUNC(void, tcp_reno_cong_avoid, struct sock *sk, u32 ack, u32 acked);
/* Window after an undo: the window before the spurious reduction, or the present window if it is larger. */
KFUNC(u32, tcp_reno_undo_cwnd, struct sock *sk);
/* Slow start: one segment per acknowledged segment (RFC 3465 section 2.2), up to ssthresh; returns the acknowledged segments that are left. */
KFUNC(u32, tcp_slow_start, struct tcp_sock *tp, u32 acked);
/* Congestion avoidance: the window grows by one segment per `w` acknowledged segments (RFC 3465 section 2.1). */
KFUNC(void, tcp_cong_avoid_ai, struct tcp_sock *tp, u32 w, u32 acked);

/* ---- fixed point: no floating point in the kernel, and no 64-bit signed division in BPF --------------------------------------- */

/* Unit of shares, gains and fractions of a segment: 1/1024. */
#define ONE 1024
#define SECOND 1000000ULL /* us */

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp(value, least, most) min(max(value, least), most)

/* True if sequence number `a` is after `b`; the numbers are modulo 2^32 (RFC 9293 section 3.4). */
static inline bool after(u32 a, u32 b)
{
	return (s32)(b - a) < 0;
}

/* Cube root, rounded down: Newton's method from the cube root of 2^64 - 1, which falls by a third per step at first. (A bitwise search
 * has two branches per bit, which are too many paths for the verifier.) */
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

/* The verifier accepts the cast, since a TCP connection's struct sock is the beginning of its struct tcp_sock. */
static inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

/* Pointer to the state of a scheme, a structure of at most 104 bytes: `STATE(struct veno, sk)`. */
#define STATE(type, sk)                                                                       \
	({                                                                                    \
		_Static_assert(sizeof(type) <= 104, "icsk_ca_priv has 104 bytes");            \
		(type *)((struct inet_connection_sock *)(sk))->icsk_ca_priv;                  \
	})

/* True in slow start (RFC 5681 section 3.1). */
static inline bool in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

/* True if the flight uses so much of the window that the window may grow (RFC 7661): all of it, or more than half in slow start. */
static inline bool is_cwnd_limited(struct tcp_sock *tp)
{
	if (in_slow_start(tp))
		return tp->snd_cwnd < 2 * tp->max_packets_out;
	return BITFIELD(tp, is_cwnd_limited);
}

/* Starts pacing by TCP if the queueing discipline of the interface does not pace. */
static inline void pace(struct sock *sk)
{
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Slow start while the window limits the sender; returns the number of acknowledged segments left for congestion avoidance. */
static inline u32 slow_start(struct tcp_sock *tp, u32 acked)
{
	if (!in_slow_start(tp))
		return acked;
	return is_cwnd_limited(tp) ? tcp_slow_start(tp, acked) : 0;
}

/* Increases the window by credit / (1024 cwnd) segments, and stores the remainder of the credit in snd_cwnd_cnt. */
static inline void grow(struct tcp_sock *tp, u64 credit)
{
	u64 segment = (u64)tp->snd_cwnd * ONE, sum = tp->snd_cwnd_cnt + credit;

	if (!is_cwnd_limited(tp))
		return;
	tp->snd_cwnd = min(tp->snd_cwnd + sum / segment, (u64)tp->snd_cwnd_clamp);
	tp->snd_cwnd_cnt = sum % segment;
}

#endif
