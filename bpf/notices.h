/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notices of the link layer about lost segments: a program at the interface reads them, and a congestion control reacts to them.
 *
 * J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless Networks, EURASIP JWCN 2009, 617818: an ELN
 * reports that the link layer discarded a segment, an ERSN that it has begun to retransmit a segment. A notice looks like an ACK of the receiver,
 * with a mark in reserved bits; TCP must not process it. H. Balakrishnan and R. H. Katz, Explicit Loss Notification and Wireless Web Performance,
 * GLOBECOM Internet Mini-Conference 1998: a bit in a duplicate ACK, which TCP processes, marks the next expected segment as lost on the link.
 */
#ifndef NOTICES_H
#define NOTICES_H

#include "named.h"

/* Byte 12 of the TCP header: data offset (4 bits), notice (2; reserved), ELN in an ACK (1), Accurate ECN (1). */
#define OFFSET_BYTE 12
#define NOTICE_BITS 0x0c
#define NOTICE_ERSN 0x04
#define NOTICE_ELN 0x08
#define ELN_IN_ACK 0x02
/* Offset of the acknowledgement field; in a notice it is the first byte of the reported segment. */
#define ACK_FIELD 8

/* Services of a simulated network whose notices this program processes, by their names in `airhop schemes`; the first is the default. A
 * kernel ignores the section. */
const char AIRHOP_SERVICES[] SEC("airhop.services") = "elsn eln";

SEC("tc")
int hear_notices(struct __sk_buff *skb)
{
	struct connection c = {};
	u8 tcp[TCP_HEADER];
	u32 at = read_ip(skb, &c), seq;
	u8 notice;

	if (!at || bpf_skb_load_bytes_relative(skb, at, tcp, TCP_HEADER, BPF_HDR_START_NET))
		return TC_ACT_UNSPEC;
	notice = tcp[OFFSET_BYTE] & NOTICE_BITS;
	if (notice == NOTICE_BITS || !(notice | (tcp[OFFSET_BYTE] & ELN_IN_ACK)))
		return TC_ACT_UNSPEC;
	__builtin_memcpy(&c.port_there, tcp, 2);
	__builtin_memcpy(&c.port_here, tcp + 2, 2);
	__builtin_memcpy(&seq, tcp + ACK_FIELD, 4);
	name_segment(&c, bpf_ntohl(seq));
	return notice ? TC_ACT_SHOT : TC_ACT_UNSPEC;
}

#endif
