/* SPDX-License-Identifier: Apache-2.0 */
/* One program for two callbacks, which every kernel rejects. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/ssthresh")
u32 window(u64 *ctx)
{
	return ((struct tcp_sock *)ctx[0])->snd_cwnd;
}

SEC("struct_ops/cong_avoid")
void nothing(u64 *ctx)
{
}

SEC(".struct_ops")
struct tcp_congestion_ops twice = {
	.ssthresh = (void *)window,
	.cong_avoid = (void *)nothing,
	.undo_cwnd = (void *)window,
	.name = "twice",
};
