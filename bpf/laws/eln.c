// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Yun 2009, section 3.1; Balakrishnan and Katz 1998. */
#include "../eln.bpf.c"
#include "laws.h"

/* A map of one connection, and a packet. */
static struct connection key;
static struct named entry;
static int is_there;
static u8 packet[60];

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

/* From 10.0.0.2, port 5201, to 10.0.0.1, port 40312, or the same as IPv6; about the byte 0x01020304. */
static int hear(u8 version, u8 bits)
{
	static const u8 v4[20] = { [0] = 0x45, [9] = 6, [12] = 10, [15] = 2, [16] = 10, [19] = 1 };
	static const u8 v6[40] = { [0] = 0x60, [6] = 6, [8] = 0xfd, [23] = 2, [24] = 0xfd, [39] = 1 };
	static const u8 tcp[20] = { 0x14, 0x51, 0x9d, 0x78, 0, 0, 0, 0, 1, 2, 3, 4, 0x50, 0x10 };
	u32 at = version == 4 ? 20 : 40;

	for (u32 i = 0; i < at; i++)
		packet[i] = version == 4 ? v4[i] : v6[i];
	for (u32 i = 0; i < 20 && at + i < sizeof(packet); i++)
		packet[at + i] = tcp[i];
	packet[at + OFFSET_BYTE] |= bits;
	return hear_notices((struct __sk_buff *)packet);
}

static void listen(u8 version, u32 cwnd)
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
	CALL(eln_init);
	tp->snd_una = 0x01020304;
}

int main(void)
{
	/* A notice is consumed, and prevents one reduction for its segment; a loss of another segment, or a timeout, halves the window. */
	for (u8 version = 4; version <= 6; version += 2) {
		listen(version, 20);
		EQUAL(hear(version, NOTICE_ELN), TC_ACT_SHOT);
		EQUAL(entry.count, 1);
		tp->snd_una += 1000;
		EQUAL(CALL(eln_ssthresh), 10);
		tp->snd_una -= 1000;
		EQUAL(CALL(eln_ssthresh), 20);
		EQUAL(CALL(eln_ssthresh), 10);
		EQUAL(hear(version, NOTICE_ERSN), TC_ACT_SHOT);
		EQUAL(CALL(eln_ssthresh), 20);
		CALL(eln_cwnd_event, CA_EVENT_LOSS);
		EQUAL(tp->snd_ssthresh, 10);
	}
	/* An ACK with the ELN bit remains an ACK; an ACK without it, or with unused code points, has no effect. */
	listen(4, 20);
	EQUAL(hear(4, ELN_IN_ACK), TC_ACT_UNSPEC);
	EQUAL(CALL(eln_ssthresh), 20);
	EQUAL(hear(4, 1), TC_ACT_UNSPEC);
	EQUAL(hear(4, NOTICE_BITS), TC_ACT_UNSPEC);
	EQUAL(CALL(eln_ssthresh), 10);
	/* The seventeenth notice replaces the first. */
	listen(4, 20);
	for (int i = 0; i <= NAMED; i++)
		hear(4, NOTICE_ELN);
	EQUAL(entry.count, NAMED + 1);
	/* No TCP, and a truncated header. */
	packet[9] = 17;
	EQUAL(hear_notices((struct __sk_buff *)packet), TC_ACT_UNSPEC);
	packet[0] = 0x4f;
	packet[9] = 6;
	EQUAL(hear_notices((struct __sk_buff *)packet), TC_ACT_UNSPEC);
	/* A notice for another sender is consumed, too; after the end of the connection nothing is. */
	CALL(eln_release);
	EQUAL(is_there, 0);
	EQUAL(hear(4, NOTICE_ELN), TC_ACT_SHOT);
	EQUAL(CALL(eln_ssthresh), 10);
	return failures;
}
