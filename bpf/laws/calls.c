// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs recorded calls of a natively compiled congestion control: reads the calls from the standard input, and writes their results to the standard
 * output. The test crates/bpf/tests/native.rs compares the results with those of the interpreter.
 *
 *   cc -DAIRHOP_NATIVE -DSOURCE='"../veno.bpf.c"' -DCONTROL=veno -DSOCKET_BYTES=N -DSEED=1 calls.c
 *
 * With -DLISTENER=hear_notices the calls include arriving packets for the program hear_notices.
 */
#include SOURCE
#ifdef LISTENER
#include "named_laws.h"
#else
#include "laws.h"
#endif

int getchar(void);
int putchar(int byte);

/* The calls contain images of the socket with the layout in the object's BTF, so both layouts must be equal. */
_Static_assert(sizeof(struct tcp_sock) == SOCKET_BYTES, "the same structure in BPF and here");

#define CALLBACKS 12

/* A call: the index of a callback in struct tcp_congestion_ops, or CALLBACKS for a packet; and the arguments after the socket. */
struct call {
	u64 callback;
	u64 arguments[2];
	u8 sample[64]; /* struct ack_sample or struct rate_sample */
	u8 packet[64];
};

/* Result of a call. In the input the socket follows each call, in the output each outcome. */
struct outcome {
	u64 result;
	u64 ack_request; /* 2^32 plus the acknowledgement number of the ACK that the program sends; 0: it sends none */
};

static struct call call;
static struct outcome outcome;

/* Random numbers of a simulation with this seed (SplitMix64). */
static u32 draw(void)
{
	static u64 state = SEED;
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) >> 32;
}

static long send_ack(void *tp, u32 rcv_nxt)
{
	(void)tp;
	outcome.ack_request = 1ULL << 32 | rcv_nxt;
	return 0;
}

/* Reads `bytes` bytes of the standard input; returns 0 at its end. */
static int take(void *to, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++) {
		int byte = getchar();

		if (byte < 0)
			return 0;
		((u8 *)to)[i] = byte;
	}
	return 1;
}

static void give(const void *from, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		putchar(((const u8 *)from)[i]);
}

typedef u32 returns(unsigned long long *arguments);
typedef void acts(unsigned long long *arguments);

/* True for callbacks with a result: ssthresh, min_tso_segs, undo_cwnd and sndbuf_expand. */
static const u8 has_result[CALLBACKS] = { [0] = 1, [6] = 1, [8] = 1, [9] = 1 };
/* Number of arguments between the socket and the sample: pkts_acked and cong_control. */
static const u8 before_sample[CALLBACKS] = { [5] = 0, [7] = 2 };

static u64 run(void)
{
	unsigned long long arguments[] = { (unsigned long long)tp, call.arguments[0], call.arguments[1], 0 };
	void *program;

#ifdef LISTENER
	if (call.callback == CALLBACKS) {
		for (u32 i = 0; i < sizeof(call.packet); i++)
			packet[i] = call.packet[i];
		return LISTENER((struct __sk_buff *)packet) == TC_ACT_SHOT;
	}
#endif
	program = ((void **)&CONTROL)[call.callback];
	if (call.callback == 5 || call.callback == 7)
		arguments[1 + before_sample[call.callback]] = (unsigned long long)call.sample;
	if (has_result[call.callback])
		return ((returns *)program)(arguments);
	((acts *)program)(arguments);
	return 0;
}

int main(void)
{
	connect(0, 0);
#ifdef LISTENER
	set_ends(4, 0);
#endif
	airhop_get_prandom_u32 = draw;
	airhop_tcp_send_ack = send_ack;
	while (take(&call, sizeof(call)) && take(tp, sizeof(*tp))) {
		outcome = (struct outcome){};
		outcome.result = run();
		give(&outcome, sizeof(outcome));
		give(tp, sizeof(*tp));
	}
	return 0;
}
