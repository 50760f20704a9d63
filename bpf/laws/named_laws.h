/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of schemes that use named.h: a map with one connection, and a packet that arrives for it. */
#ifndef NAMED_LAWS_H
#define NAMED_LAWS_H

#include "laws.h"

static struct connection key;
static struct named entry;
static int is_there;
static u8 packet[100];

static int is_same(const void *a, const void *b, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++) {
		if (((const u8 *)a)[i] != ((const u8 *)b)[i])
			return 0;
	}
	return 1;
}

static void *lookup(void *map, const void *c)
{
	(void)map;
	return is_there && is_same(&key, c, sizeof(key)) ? &entry : 0;
}

static long update(void *map, const void *c, const void *value, u64 flags)
{
	(void)map;
	(void)flags;
	key = *(const struct connection *)c;
	entry = *(const struct named *)value;
	is_there = 1;
	return 0;
}

static long delete(void *map, const void *c)
{
	is_there = is_there && !lookup(map, c);
	return 0;
}

static long load(const void *skb, u32 offset, void *to, u32 len, u32 start)
{
	if (offset + len > sizeof(packet) || start != BPF_HDR_START_NET || !skb)
		return -1;
	for (u32 i = 0; i < len; i++)
		((u8 *)to)[i] = packet[offset + i];
	return 0;
}

/* Writes a packet: an IP header from 10.0.0.2 to 10.0.0.1, or from fd00::2 to fd00::1, and a TCP header from port 5201 to port 40312 with
 * acknowledgement number 0x01020304. Returns the offset of the TCP header. */
static u32 arrive(u8 version)
{
	static const u8 v4[20] = { [0] = 0x45, [9] = 6, [12] = 10, [15] = 2, [16] = 10, [19] = 1 };
	static const u8 v6[40] = { [0] = 0x60, [6] = 6, [8] = 0xfd, [23] = 2, [24] = 0xfd, [39] = 1 };
	static const u8 tcp[20] = { 0x14, 0x51, 0x9d, 0x78, 0, 0, 0, 0, 1, 2, 3, 4, 0x50, 0x10 };
	u32 at = version == 4 ? 20 : 40;

	for (u32 i = 0; i < at; i++)
		packet[i] = version == 4 ? v4[i] : v6[i];
	for (u32 i = 0; i < 20; i++)
		packet[at + i] = tcp[i];
	return at;
}

/* Starts a connection with this window that uses notices. */
#define LISTEN(scheme, version, cwnd)     \
	do {                              \
		set_ends(version, cwnd);  \
		CALL(scheme##_init);      \
		tp->snd_una = 0x01020304; \
	} while (0)

static void set_ends(u8 version, u32 cwnd)
{
	struct sock_common *c = &tp->inet_conn.icsk_inet.sk.__sk_common;

	airhop_map_lookup_elem = lookup;
	airhop_map_update_elem = update;
	airhop_map_delete_elem = delete;
	airhop_skb_load_bytes_relative = load;
	connect(cwnd, 5);
	c->skc_family = version == 4 ? 2 : AF_INET6;
	c->skc_rcv_saddr = bpf_htonl(0x0a000001);
	c->skc_daddr = bpf_htonl(0x0a000002);
	c->skc_v6_rcv_saddr.in6_u.u6_addr32[0] = c->skc_v6_daddr.in6_u.u6_addr32[0] = bpf_htonl(0xfd000000);
	c->skc_v6_rcv_saddr.in6_u.u6_addr32[3] = bpf_htonl(1);
	c->skc_v6_daddr.in6_u.u6_addr32[3] = bpf_htonl(2);
	c->skc_dport = bpf_htons(5201);
	tp->inet_conn.icsk_inet.inet_sport = bpf_htons(40312);
}

#endif
