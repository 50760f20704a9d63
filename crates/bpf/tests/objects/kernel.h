/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the kernel for the objects of these tests. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef int s32;

#define SEC(name) __attribute__((section(name), used))
#define KSYM __attribute__((section(".ksyms")))
#define KCONFIG __attribute__((section(".kconfig")))
#define UINT(name, value) int(*name)[value]
#define TYPE(name, type) type *name

struct bpf_spin_lock {
	u32 val;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct sock_common {
	u8 skc_state;
};

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	u8 icsk_retransmits;
	u8 icsk_ca_state : 6, icsk_ca_setsockopt : 1;
	struct {
		u8 pending;
	} icsk_ack;
	u64 icsk_ca_priv[13];
};

struct minmax_sample {
	u32 t;
	u32 v;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_nxt;
	u32 mss_cache;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 srtt_us;
	u32 nonagle : 4, rate_app_limited : 1, is_cwnd_limited : 1;
	struct {
		struct minmax_sample s[3];
	} rtt_min;
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
};

struct rate_sample {
	s64 interval_us;
	s32 delivered;
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *);
	void (*cong_avoid)(struct sock *, u32, u32);
	void (*set_state)(struct sock *, u8);
	void (*pkts_acked)(struct sock *, const struct ack_sample *);
	void (*cong_control)(struct sock *, const struct rate_sample *);
	u32 (*undo_cwnd)(struct sock *);
	void (*init)(struct sock *);
	void (*release)(struct sock *);
	u32 flags;
	char name[16];
};

struct __sk_buff {
	u32 len, pkt_type, mark, queue_mapping, protocol, vlan_present, vlan_tci, vlan_proto, priority;
	u32 ingress_ifindex, ifindex, tc_index, cb[5], hash, tc_classid, data, data_end;
};
#pragma clang attribute pop

extern u32 tcp_slow_start(struct tcp_sock *, u32) KSYM;
extern void tcp_cong_avoid_ai(struct tcp_sock *, u32, u32) KSYM;
extern u32 tcp_reno_undo_cwnd(struct sock *) KSYM;

static void *(*map_lookup)(void *, const void *) = (void *)1;
static long (*map_update)(void *, const void *, const void *, u64) = (void *)2;
static u64 (*jiffies64)(void) = (void *)118;
static u32 (*random32)(void) = (void *)7;
static void *(*storage_get)(void *, void *, void *, u64) = (void *)107;
static long (*send_ack)(void *, u32) = (void *)116;
static long (*spin_lock)(struct bpf_spin_lock *) = (void *)93;
static long (*spin_unlock)(struct bpf_spin_lock *) = (void *)94;
static long (*loop)(u32, void *, void *, u64) = (void *)181;
static long (*vprintk)(const char *, u32, const void *, u32) = (void *)177;
static long (*setsockopt)(void *, int, int, void *, int) = (void *)49;
static long (*getsockopt)(void *, int, int, void *, int) = (void *)57;
