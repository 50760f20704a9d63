/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Segments that notices of the network report as lost on a link. A program at the interface on which ACKs arrive stores them. The congestion
 * control of the connection then does not reduce its window because of their loss.
 */
#ifndef NAMED_H
#define NAMED_H

#include "airhop.h"

#define TCP_HEADER 20

#define AF_INET6 10
#define IPPROTO_TCP 6
#define IPV4_HEADER 20
#define IPV6_HEADER 40

enum { BPF_MAP_TYPE_HASH = 1 };
enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_ANY, BPF_NOEXIST };
/* Argument of bpf_skb_load_bytes_relative: offsets count from the IP header, whatever the link header. */
enum { BPF_HDR_START_NET = 1 };
/* Verdicts on a packet: pass it to the next filter, or drop it. */
enum { TC_ACT_UNSPEC = -1, TC_ACT_SHOT = 2 };

/* Connection: IPv6 addresses, or IPv4 addresses mapped to IPv6 (RFC 4291 section 2.5.5.2). */
struct connection {
	__be32 here[4];
	__be32 there[4];
	__be16 port_here;
	__be16 port_there;
};

/* Number of stored notices: about as many segments as a window of data may lose. */
#define NAMED 16

struct named {
	u32 count; /* notices so far; `seq`: first bytes of the segments that the latest notices report */
	u32 seq[NAMED];
};

/* Map with an entry for each connection of a congestion control that uses notices. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, struct connection);
	__type(value, struct named);
} airhop_notices SEC(".maps");

/* Counters over all connections, which the loader of the object reads: notices received; losses that a notice kept from reducing a window. */
u64 notices_heard;
u64 cuts_spared;

/* ---- the sender ---------------------------------------------------------------------------------------------------------------- */

static inline void connection_of(struct sock *sk, struct connection *c)
{
	struct sock_common *common = &sk->__sk_common;

	if (common->skc_family == AF_INET6) {
		for (int word = 0; word < 4; word++) {
			c->here[word] = common->skc_v6_rcv_saddr.in6_u.u6_addr32[word];
			c->there[word] = common->skc_v6_daddr.in6_u.u6_addr32[word];
		}
	} else {
		c->here[2] = c->there[2] = bpf_htonl(0xffff);
		c->here[3] = common->skc_rcv_saddr;
		c->there[3] = common->skc_daddr;
	}
	c->port_here = ((struct inet_sock *)sk)->inet_sport;
	c->port_there = common->skc_dport;
}

static inline void start_listening(struct sock *sk)
{
	struct connection c = {};
	struct named none = {};

	connection_of(sk, &c);
	bpf_map_update_elem(&airhop_notices, &c, &none, BPF_NOEXIST);
}

static inline void stop_listening(struct sock *sk)
{
	struct connection c = {};

	connection_of(sk, &c);
	bpf_map_delete_elem(&airhop_notices, &c);
}

/* True if a notice reported the segment at snd_una, whose loss starts the recovery. A notice counts once: if the retransmission is lost too, this
 * is congestion, or causes a timeout. An ERSN does not expire, because either an ELN or the segment follows. */
static inline bool is_named(struct sock *sk)
{
	struct connection c = {};
	struct named *named;

	connection_of(sk, &c);
	named = bpf_map_lookup_elem(&airhop_notices, &c);
	if (!named)
		return 0;
	for (u32 i = 0; i < NAMED && i < named->count; i++) {
		if (named->seq[i] == tcp_sk(sk)->snd_una) {
			/* Marks the notice as used: half of the sequence space away no segment is in flight. */
			named->seq[i] -= 1U << 31;
			__sync_fetch_and_add(&cuts_spared, 1);
			return 1;
		}
	}
	return 0;
}

/* ---- the interface ------------------------------------------------------------------------------------------------------------- */

struct __sk_buff;

/* Reads the connection of an arrived packet; returns the offset of its TCP header, or 0 if it has none. Fragments need no case: the kernel
 * reassembles them before TCP, and notices are never fragments. */
static inline u32 read_ip(struct __sk_buff *skb, struct connection *c)
{
	u8 header[IPV6_HEADER];
	u32 at;

	if (bpf_skb_load_bytes_relative(skb, 0, header, IPV4_HEADER, BPF_HDR_START_NET))
		return 0;
	if (header[0] >> 4 == 4) {
		at = (header[0] & 15) * 4;
		c->here[2] = c->there[2] = bpf_htonl(0xffff);
		__builtin_memcpy(&c->there[3], header + 12, 4);
		__builtin_memcpy(&c->here[3], header + 16, 4);
		return header[9] == IPPROTO_TCP ? at : 0;
	}
	if (bpf_skb_load_bytes_relative(skb, 0, header, IPV6_HEADER, BPF_HDR_START_NET))
		return 0;
	__builtin_memcpy(c->there, header + 8, 16);
	__builtin_memcpy(c->here, header + 24, 16);
	return header[0] >> 4 == 6 && header[6] == IPPROTO_TCP ? IPV6_HEADER : 0;
}

static inline void name_segment(const struct connection *c, u32 seq)
{
	struct named *named = bpf_map_lookup_elem(&airhop_notices, c);

	if (!named)
		return;
	named->seq[named->count % NAMED] = seq;
	named->count++;
	__sync_fetch_and_add(&notices_heard, 1);
}

#endif
