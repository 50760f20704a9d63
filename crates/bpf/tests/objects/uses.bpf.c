/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel functions that published congestion controls use besides kfuncs and maps: a loop, a lock, a socket option, a printed line. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

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

struct sum {
	u64 total, last;
};

static long add(u32 index, struct sum *sum)
{
	sum->total += index;
	return index == sum->last;
}

/* Sets the maximum window. */
SEC("struct_ops/init")
void bounds(u64 *ctx)
{
	int most = 20;
	int segment = 0;
	short none = 7;
	u64 *state = ((struct inet_connection_sock *)ctx[0])->icsk_ca_priv;
	static const char format[] = "bounded by %d, %s: %lx";
	u64 numbers[] = {most, (unsigned long)"so it is", 0x1ffffffffULL};

	setsockopt((void *)ctx[0], 6, 1002, &most, sizeof(most));
	state[0] = getsockopt((void *)ctx[0], 6, 2, &segment, sizeof(segment));
	state[1] = segment;
	state[2] = getsockopt((void *)ctx[0], 6, 2, &none, sizeof(none));
	state[3] = none;
	vprintk(format, sizeof(format), numbers, sizeof(numbers));
}

/* Sums 0 + 1 + … up to the caller's number, in at most ten iterations. */
SEC("struct_ops/ssthresh")
u32 adds(u64 *ctx)
{
	struct sum sum = {.last = ctx[1]};
	u32 turns = loop(10, add, &sum, 0);

	return sum.total << 8 | turns;
}

SEC("struct_ops/cong_avoid")
void grows(u64 *ctx)
{
	tcp_slow_start((void *)ctx[0], ctx[2]);
}

SEC("struct_ops/undo_cwnd")
u32 counts(u64 *ctx)
{
	u32 key = 0;
	struct locked *value = map_lookup(&locks, &key);

	if (!value)
		return 0;
	spin_lock(&value->lock);
	key = ++value->count;
	spin_unlock(&value->lock);
	return key;
}

/* Sets the maximum pacing rate and the maximum receive window, also with a truncated value. */
SEC("struct_ops/set_state")
void limits(u64 *ctx)
{
	int most = ctx[1];
	u64 *state = ((struct inet_connection_sock *)ctx[0])->icsk_ca_priv;

	state[0] = setsockopt((void *)ctx[0], 1, 47, &most, sizeof(most));
	state[1] = setsockopt((void *)ctx[0], 6, 10, &most, sizeof(most));
	state[2] = setsockopt((void *)ctx[0], 6, 10, &most, 2);
}

SEC(".struct_ops")
struct tcp_congestion_ops uses = {
	.init = (void *)bounds,
	.ssthresh = (void *)adds,
	.cong_avoid = (void *)grows,
	.undo_cwnd = (void *)counts,
	.set_state = (void *)limits,
	.name = "uses",
};
