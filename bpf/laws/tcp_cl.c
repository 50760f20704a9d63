// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cheng and Lin 2008. */
#include "../tcp_cl.bpf.c"
#include "named_laws.h"

/* Passes an ACK with `length` bytes of options to the program at the interface. */
static int hear(u8 version, const u8 *options, u32 length)
{
	u32 at = arrive(version);

	packet[at + OFFSET_BYTE] = (20 + length) / 4 << 4;
	for (u32 i = 0; i < length; i++)
		packet[at + 20 + i] = options[i];
	return hear_naks((struct __sk_buff *)packet);
}

int main(void)
{
	static const u8 two[] = { 253, 12, 0xa1, 0x50, 1, 2, 3, 4, 1, 2, 7, 0 };
	static const u8 behind[] = { 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 253, 8, 0xa1, 0x50, 1, 2, 3, 4 };
	static const u8 four[] = { 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 253, 20, 0xa1, 0x50, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4 };
	static const u8 own[] = { 253, 12, 0xa1, 0x54, 1, 2, 3, 4, 1, 2, 7, 0 };
	static const u8 other[] = { 253, 8, 0xa1, 0x51, 1, 2, 3, 4 };
	static const u8 cut[] = { 253, 12, 0xa1, 0x50, 1, 2, 3, 4 };
	static const u8 after_end[] = { 0, 1, 1, 1, 253, 8, 0xa1, 0x50, 1, 2, 3, 4 };
	static const u8 no_length[] = { 8, 0, 1, 1, 253, 8, 0xa1, 0x50, 1, 2, 3, 4 };

	/* A NAK prevents one reduction for its segment. The ACK that contains the NAK passes to TCP. */
	for (u8 version = 4; version <= 6; version += 2) {
		LISTEN(tcp_cl, version, 20);
		EQUAL(hear(version, two, sizeof(two)), TC_ACT_UNSPEC);
		EQUAL(entry.count, 2);
		EQUAL(entry.seq[1], 0x01020700);
		EQUAL(CALL(tcp_cl_ssthresh), 20);
		EQUAL(CALL(tcp_cl_ssthresh), 10);
		tp->snd_una = 0x01020700;
		EQUAL(CALL(tcp_cl_ssthresh), 20);
	}
	/* A NAK is found after timestamps, and with four segments. */
	LISTEN(tcp_cl, 4, 20);
	hear(4, behind, sizeof(behind));
	EQUAL(CALL(tcp_cl_ssthresh), 20);
	LISTEN(tcp_cl, 4, 20);
	hear(4, four, sizeof(four));
	EQUAL(entry.count, 4);
	EQUAL(CALL(tcp_cl_ssthresh), 20);
	/* A NAK in a packet of its own is dropped before TCP. */
	LISTEN(tcp_cl, 4, 20);
	EQUAL(hear(4, own, sizeof(own)), TC_ACT_SHOT);
	EQUAL(entry.count, 1);
	EQUAL(CALL(tcp_cl_ssthresh), 20);
	/* A timeout reduces the window in any case. */
	CALL(tcp_cl_cwnd_event, CA_EVENT_LOSS);
	EQUAL(tp->snd_ssthresh, 10);
	/* These are no NAKs: another identifier; an option truncated by the header; options after the end of the list; an option of length 0. */
	LISTEN(tcp_cl, 4, 20);
	EQUAL(hear(4, other, sizeof(other)), TC_ACT_UNSPEC);
	EQUAL(hear(4, cut, sizeof(cut)), TC_ACT_UNSPEC);
	EQUAL(hear(4, after_end, sizeof(after_end)), TC_ACT_UNSPEC);
	EQUAL(hear(4, no_length, sizeof(no_length)), TC_ACT_UNSPEC);
	EQUAL(entry.count, 0);
	EQUAL(CALL(tcp_cl_ssthresh), 10);
	CALL(tcp_cl_release);
	EQUAL(is_there, 0);
	return failures;
}
