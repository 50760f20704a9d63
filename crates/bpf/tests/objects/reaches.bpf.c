/* SPDX-License-Identifier: Apache-2.0 */
/* A congestion control whose callbacks access memory of others; the arguments select the access. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pair {
	u64 numbers[2];
};

struct {
	UINT(type, 2);
	UINT(max_entries, 4);
	TYPE(key, u32);
	TYPE(value, struct pair);
} pairs SEC(".maps");

struct locked {
	struct bpf_spin_lock lock;
	u32 count;
};

struct {
	UINT(type, 2);
	UINT(max_entries, 1);
	TYPE(key, u32);
	TYPE(value, struct locked);
} locks SEC(".maps");

/* Accesses the value of the next entry. */
SEC("struct_ops/cong_avoid")
void next_value(u64 *ctx)
{
	u32 key = 0;
	u64 *value = map_lookup(&pairs, &key);

	if (value)
		value[ctx[1]] = 1;
}

/* Accesses the stack frame of the caller. */
static __attribute__((noinline)) u64 above(u64 index)
{
	volatile u64 own[2];

	own[0] = index;
	own[index] = 7;
	return own[0];
}

SEC("struct_ops/ssthresh")
u32 frame(u64 *ctx)
{
	volatile u64 own[2];

	own[0] = ctx[1];
	return above(own[0]);
}

/* Writes only the last byte of a member, or two members at once. */
SEC("struct_ops/set_state")
void parts_of_members(u64 *ctx)
{
	u64 *window = (void *)&((struct tcp_sock *)ctx[0])->snd_cwnd;

	asm volatile("" : "+r"(window));
	if (ctx[1] == 1)
		*((u8 *)window + 3) = 0;
	else if (ctx[1] == 2)
		*(u16 *)window = 10;
	else
		*window = 0x0000000a0000000aULL;
}

/* Changes bytes within a word by an atomic operation. */
SEC("struct_ops/pkts_acked")
void misaligned(u64 *ctx)
{
	u32 key = 0;
	char *value = map_lookup(&pairs, &key);

	if (value)
		__sync_fetch_and_add((u64 *)(value + (ctx[1] & 7)), 1);
}

/* A lock that is not released, locked twice, held during a call, overwritten, or not a lock. */
SEC("struct_ops/undo_cwnd")
u32 holds(u64 *ctx)
{
	u32 key = 0;
	struct locked *value = map_lookup(&locks, &key);

	if (!value)
		return 0;
	if (ctx[1] == 4)
		*(u32 *)&value->lock = 0;
	if (ctx[1] == 5)
		spin_lock((struct bpf_spin_lock *)&value->count);
	spin_lock(&value->lock);
	if (ctx[1] == 1)
		spin_lock(&value->lock);
	if (ctx[1] == 3)
		jiffies64();
	if (ctx[1] != 2)
		spin_unlock(&value->lock);
	return ++value->count;
}

struct {
	UINT(type, 24);
	UINT(map_flags, 1);
	TYPE(key, u32);
	TYPE(value, u32);
} owned SEC(".maps");

/* Accesses the value of another socket, or half of an argument and half of the next. */
SEC("struct_ops/init")
void looks(u64 *ctx)
{
	u32 key = 0;

	if (ctx[1] == 1)
		map_lookup(&owned, &key);
	if (ctx[1] == 2)
		*(volatile u32 *)((char *)ctx + 6);
}

SEC(".struct_ops")
struct tcp_congestion_ops reaches = {
	.ssthresh = (void *)frame,
	.cong_avoid = (void *)next_value,
	.set_state = (void *)parts_of_members,
	.pkts_acked = (void *)misaligned,
	.undo_cwnd = (void *)holds,
	.init = (void *)looks,
	.name = "reaches",
};
