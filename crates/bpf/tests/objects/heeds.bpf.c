/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A congestion control that uses every supported feature of objects: kfuncs, helpers, maps, global variables, the kernel's configuration,
 * static functions, bitfields and private state; and a tc program that reads notices for the congestion control.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";
extern unsigned long CONFIG_HZ KCONFIG;

/* Number of received notices by their second byte. */
struct {
	UINT(type, 1);
	UINT(max_entries, 4);
	TYPE(key, u32);
	TYPE(value, u64);
} heard SEC(".maps");

/* Counters by kind of event. */
struct {
	UINT(type, 2);
	UINT(max_entries, 4);
	TYPE(key, u32);
	TYPE(value, u64);
} counts SEC(".maps");

struct own {
	u32 calls;
};

struct {
	UINT(type, 24);
	UINT(map_flags, 1);
	TYPE(key, int);
	TYPE(value, struct own);
} owned SEC(".maps");

static const u32 halves[4] = {2, 4, 8, 16};
u64 total = 7;
u64 zeroes;
static const volatile u32 *pointer = &halves[2];

struct state {
	u32 losses;
	s32 last_rtt;
	u64 began;
};

static struct tcp_sock *tcp(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static struct state *state(struct sock *sk)
{
	return (struct state *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

/* Not inlined: a call between two functions, one of which has its own stack frame. */
static __attribute__((noinline)) u64 sum(const u32 *numbers, u32 count)
{
	volatile u64 total = 0;

	for (u32 i = 0; i < count; i++)
		total += numbers[i & 3];
	return total;
}

SEC("struct_ops/init")
void heeds_init(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];

	state(sk)->began = jiffies64() + CONFIG_HZ;
	zeroes = sum(halves, 4) + *pointer;
	total += random32() & 0xff;
}

SEC("struct_ops/ssthresh")
u32 heeds_ssthresh(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	u32 key = 1;
	u64 *notices = map_lookup(&heard, &key);
	struct own *own = storage_get(&owned, sk, 0, 1);

	state(sk)->losses++;
	if (own)
		own->calls++;
	if (notices && *notices)
		return tcp(sk)->snd_cwnd;
	return tcp(sk)->snd_cwnd / 2;
}

SEC("struct_ops/cong_avoid")
void heeds_cong_avoid(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	u32 acked = ctx[2];

	if (!tcp(sk)->is_cwnd_limited)
		return;
	if (tcp(sk)->snd_cwnd < tcp(sk)->snd_ssthresh)
		acked = tcp_slow_start(tcp(sk), acked);
	if (acked)
		tcp_cong_avoid_ai(tcp(sk), tcp(sk)->snd_cwnd, acked);
}

SEC("struct_ops/set_state")
void heeds_set_state(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	u32 key = ctx[1];
	u64 *count = map_lookup(&counts, &key);

	if (count)
		__sync_fetch_and_add(count, 1);
	if (((struct inet_connection_sock *)sk)->icsk_ca_state != key)
		send_ack(sk, tcp(sk)->snd_nxt);
}

SEC("struct_ops/pkts_acked")
void heeds_pkts_acked(u64 *ctx)
{
	const struct ack_sample *sample = (void *)ctx[1];

	state((void *)ctx[0])->last_rtt = sample->rtt_us;
}

/* Reads a member that is not simulated; the caller may or may not provide in_flight of the sample. */
SEC("struct_ops/undo_cwnd")
u32 heeds_undo_cwnd(u64 *ctx)
{
	return tcp_reno_undo_cwnd((void *)ctx[0]);
}

SEC(".struct_ops")
struct tcp_congestion_ops heeds = {
	.init = (void *)heeds_init,
	.ssthresh = (void *)heeds_ssthresh,
	.cong_avoid = (void *)heeds_cong_avoid,
	.set_state = (void *)heeds_set_state,
	.pkts_acked = (void *)heeds_pkts_acked,
	.undo_cwnd = (void *)heeds_undo_cwnd,
	.flags = 2,
	.name = "heeds",
};

/* The first two bytes of a notice: its kind, and a second byte. */
SEC("tc")
int listen(struct __sk_buff *skb)
{
	u8 *data = (void *)(unsigned long)skb->data, *end = (void *)(unsigned long)skb->data_end;
	u64 one = 1, *count;
	u32 key;

	if (data + 2 > end || data[0] != 0x45)
		return 0;
	key = data[1];
	count = map_lookup(&heard, &key);
	if (count)
		*count += 1;
	else
		map_update(&heard, &key, &one, 0);
	return 2;
}
