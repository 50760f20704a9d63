// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP-CL: R.-S. Cheng and H.-T. Lin, A cross-layer design for TCP end-to-end performance improvement in multi-hop wireless networks, Computer
 * Communications 31 (2008) 3145-3152.
 *
 * A MAC that drops a segment writes its sequence number into the next ACK of the connection (NAK). The loss of that segment does not reduce the
 * window. All other rules are Reno's. A kernel cannot retransmit at the NAK; loss recovery retransmits, after SACK blocks or duplicate ACKs.
 */
#include "named.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Offset of the byte with the data offset; and longest options, bytes (RFC 9293 section 3.1). */
#define OFFSET_BYTE 12
#define MOST_OPTIONS 40
#define OPTIONS_END 0
#define OPTION_NOP 1
/* NAK: an experimental option (RFC 4727) with an identifier (RFC 6994 section 3), then the sequence numbers of one to four dropped segments. */
#define NAK_KIND 253
#define NAK_HIGH 0xa1
#define NAK_LOW 0x50
#define NAK_HEAD 4
/* NAK in a packet of its own, from the sender's own MAC: the sequence number of one segment, and that of the first byte after it. */
#define OWN_NAK_LOW 0x54
#define MOST_NAKS 4

SEC("struct_ops")
void BPF_PROG(tcp_cl_init, struct sock *sk)
{
	start_listening(sk);
}

SEC("struct_ops")
void BPF_PROG(tcp_cl_release, struct sock *sk)
{
	stop_listening(sk);
}

SEC("struct_ops")
u32 BPF_PROG(tcp_cl_ssthresh, struct sock *sk)
{
	return is_named(sk) ? tcp_sk(sk)->snd_cwnd : tcp_reno_ssthresh(sk);
}

/* A timeout always reduces the window. */
SEC("struct_ops")
void BPF_PROG(tcp_cl_cwnd_event, struct sock *sk, int event)
{
	if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(tcp_cl_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
u32 BPF_PROG(tcp_cl_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops tcp_cl = {
	.init = (void *)tcp_cl_init,
	.release = (void *)tcp_cl_release,
	.ssthresh = (void *)tcp_cl_ssthresh,
	.cong_avoid = (void *)tcp_cl_cong_avoid,
	.cwnd_event = (void *)tcp_cl_cwnd_event,
	.undo_cwnd = (void *)tcp_cl_undo_cwnd,
	.name = "bpf_tcp_cl",
};

/* Service of a simulated network whose NAKs this program processes. A kernel ignores the section. */
const char AIRHOP_SERVICES[] SEC("airhop.services") = "nak";

static u32 number_at(const u8 *bytes)
{
	return (u32)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Offset of the NAK in options of this length; returns the length if there is no NAK. */
static u32 find_nak(const u8 *options, u32 length)
{
	u32 at = 0;

	for (u32 count = 0; count < MOST_OPTIONS && at < MOST_OPTIONS && at + NAK_HEAD < length; count++) {
		u8 kind = options[at], size = options[at + 1];

		if (kind == NAK_KIND && options[at + 2] == NAK_HIGH && at + size <= length)
			return at;
		if (kind == OPTIONS_END || (kind != OPTION_NOP && size < 2))
			break;
		at += kind == OPTION_NOP ? 1 : size;
	}
	return length;
}

/* Reads the NAKs of arriving packets. TCP processes all ACKs, with or without a NAK; a NAK in a packet of its own is dropped. */
SEC("tc")
int hear_naks(struct __sk_buff *skb)
{
	struct connection c = {};
	u8 tcp[TCP_HEADER], options[MOST_OPTIONS + NAK_HEAD + 4 * MOST_NAKS] = {};
	u32 at = read_ip(skb, &c), length, nak;

	if (!at || bpf_skb_load_bytes_relative(skb, at, tcp, TCP_HEADER, BPF_HDR_START_NET))
		return TC_ACT_UNSPEC;
	length = (tcp[OFFSET_BYTE] >> 4) * 4;
	if (length < TCP_HEADER + NAK_HEAD + 4)
		return TC_ACT_UNSPEC;
	length -= TCP_HEADER;
	if (length > MOST_OPTIONS || bpf_skb_load_bytes_relative(skb, at + TCP_HEADER, options, length, BPF_HDR_START_NET))
		return TC_ACT_UNSPEC;
	nak = find_nak(options, length);
	if (nak >= length || nak >= MOST_OPTIONS)
		return TC_ACT_UNSPEC;
	__builtin_memcpy(&c.port_there, tcp, 2);
	__builtin_memcpy(&c.port_here, tcp + 2, 2);
	if (options[nak + 3] == OWN_NAK_LOW) {
		name_segment(&c, number_at(options + nak + NAK_HEAD));
		return TC_ACT_SHOT;
	}
	if (options[nak + 3] != NAK_LOW)
		return TC_ACT_UNSPEC;
	for (u32 i = NAK_HEAD; i <= 4 * MOST_NAKS && i + 4 <= options[nak + 1]; i += 4)
		name_segment(&c, number_at(options + nak + i));
	return TC_ACT_UNSPEC;
}
