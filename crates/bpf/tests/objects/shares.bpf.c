/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th connection has a window of 10 n: a global variable and a map count the connections. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

u32 connections = 0;

struct {
	UINT(type, 2);
	UINT(max_entries, 1);
	TYPE(key, u32);
	TYPE(value, u32);
} counted SEC(".maps");

struct state {
	u32 number;
};

static struct state *state(struct sock *sk)
{
	return (struct state *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

SEC("struct_ops/init")
void shares_init(u64 *ctx)
{
	u32 key = 0, *count = map_lookup(&counted, &key);

	connections++;
	if (count && ++*count == connections)
		state((void *)ctx[0])->number = *count;
}

SEC("struct_ops/ssthresh")
u32 shares_ssthresh(u64 *ctx)
{
	return ((struct tcp_sock *)ctx[0])->snd_cwnd;
}

SEC("struct_ops/cong_avoid")
void shares_cong_avoid(u64 *ctx)
{
	((struct tcp_sock *)ctx[0])->snd_cwnd = 10 * state((void *)ctx[0])->number;
}

SEC("struct_ops/undo_cwnd")
u32 shares_undo_cwnd(u64 *ctx)
{
	return ((struct tcp_sock *)ctx[0])->snd_cwnd;
}

SEC(".struct_ops")
struct tcp_congestion_ops shares = {
	.init = (void *)shares_init,
	.ssthresh = (void *)shares_ssthresh,
	.cong_avoid = (void *)shares_cong_avoid,
	.undo_cwnd = (void *)shares_undo_cwnd,
	.name = "shares",
};

/* Passes every packet. */
SEC("tc")
int passes(struct __sk_buff *skb)
{
	return 0;
}
