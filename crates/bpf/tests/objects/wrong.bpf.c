/* SPDX-License-Identifier: Apache-2.0 */
/* A congestion control whose callbacks contain code that the kernel's verifier would reject. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

/* Infinite loop: exceeds the instruction limit. */
SEC("struct_ops/init")
void endless(u64 *ctx)
{
	volatile u32 one = 1;

	while (one)
		one = 1;
}

/* Infinite recursion: exceeds the stack. */
static __attribute__((noinline)) u32 deeper(volatile u32 *depth)
{
	volatile u32 own = *depth + 1;

	return deeper(&own) + 1;
}

SEC("struct_ops/ssthresh")
u32 recursive(u64 *ctx)
{
	volatile u32 depth = 0;

	return deeper(&depth);
}

/* Writes a member that only the kernel may write. */
SEC("struct_ops/cong_avoid")
void writes_srtt(u64 *ctx)
{
	((struct tcp_sock *)ctx[0])->srtt_us = 1;
}

/* Reads from an arbitrary address. */
SEC("struct_ops/set_state")
void wild(u64 *ctx)
{
	*(volatile u32 *)(ctx[1] << 60) = 1;
}

/* Accesses memory beyond the private state of 104 bytes. */
SEC("struct_ops/undo_cwnd")
u32 beyond(u64 *ctx)
{
	volatile u64 *own = ((struct inet_connection_sock *)ctx[0])->icsk_ca_priv;

	return own[200];
}

/* Reads a member that is not simulated. */
SEC("struct_ops/pkts_acked")
void unknown_member(u64 *ctx)
{
	const struct ack_sample *sample = (void *)ctx[1];

	((struct tcp_sock *)ctx[0])->snd_cwnd = sample->in_flight;
}

SEC(".struct_ops")
struct tcp_congestion_ops wrong = {
	.init = (void *)endless,
	.ssthresh = (void *)recursive,
	.cong_avoid = (void *)writes_srtt,
	.set_state = (void *)wild,
	.pkts_acked = (void *)unknown_member,
	.undo_cwnd = (void *)beyond,
	.name = "wrong",
};
