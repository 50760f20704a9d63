/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion controls, each of which a kernel rejects when it is loaded, for any arguments. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct four {
	u64 numbers[4];
};

struct {
	UINT(type, 2);
	UINT(max_entries, 1);
	TYPE(key, u32);
	TYPE(value, struct four);
} numbers SEC(".maps");

SEC("struct_ops/ssthresh")
u32 half(u64 *ctx)
{
	return ((struct tcp_sock *)ctx[0])->snd_cwnd / 2;
}

SEC("struct_ops/undo_cwnd")
u32 whole(u64 *ctx)
{
	return ((struct tcp_sock *)ctx[0])->snd_cwnd;
}

/* 400 and 320 bytes of stack in a chain of calls. */
static __attribute__((noinline)) u64 inner(volatile u64 *above)
{
	volatile u64 own[40];

	for (u32 i = 0; i < 40; i++)
		own[i] = above[i] + i;
	return own[above[0] & 31];
}

SEC("struct_ops/cong_avoid")
void deep(u64 *ctx)
{
	volatile u64 own[50];

	for (u32 i = 0; i < 50; i++)
		own[i] = ctx[1];
	((struct tcp_sock *)ctx[0])->snd_cwnd = inner(own);
}

/* Writes a member that only the kernel may write, in a branch that is never executed. */
SEC("struct_ops/cong_avoid")
void writes(u64 *ctx)
{
	if (ctx[2] == 0xdeadbeef)
		((struct tcp_sock *)ctx[0])->srtt_us = 1;
}

/* Writes a member that is not simulated, in a branch that is never executed. */
SEC("struct_ops/cong_avoid")
void reads(u64 *ctx)
{
	if (ctx[2] == 0xdeadbeef)
		((struct tcp_sock *)ctx[0])->snd_cwnd = ((struct tcp_sock *)ctx[0])->nonagle;
}

/* Writes at offset 3 of a value. */
SEC("struct_ops/cong_avoid")
void misaligned(u64 *ctx)
{
	u32 key = 0;
	char *value = map_lookup(&numbers, &key);

	if (value)
		__sync_fetch_and_add((u64 *)(value + 3), 1);
}

/* Calls that are not permitted in release. */
SEC("struct_ops/cong_avoid")
void grows(u64 *ctx)
{
}

SEC("struct_ops/release")
void asks(u64 *ctx)
{
	int segment;

	getsockopt((void *)ctx[0], 6, 2, &segment, sizeof(segment));
}

#define CONTROL(callback)                       \
	SEC(".struct_ops")                      \
	struct tcp_congestion_ops callback##s = { \
		.ssthresh = (void *)half,       \
		.cong_avoid = (void *)callback, \
		.undo_cwnd = (void *)whole,     \
		.name = #callback,              \
	}

CONTROL(deep);
CONTROL(writes);
CONTROL(reads);
CONTROL(misaligned);

SEC(".struct_ops")
struct tcp_congestion_ops ends = {
	.ssthresh = (void *)half,
	.cong_avoid = (void *)grows,
	.undo_cwnd = (void *)whole,
	.release = (void *)asks,
	.name = "ends",
};
