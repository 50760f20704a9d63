// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Yun 2009, section 3.1; Balakrishnan and Katz 1998. */
#include "../eln.bpf.c"
#include "named_laws.h"

/* Passes an ACK with these reserved bits to the program at the interface. */
static int hear(u8 version, u8 bits)
{
	packet[arrive(version) + OFFSET_BYTE] |= bits;
	return hear_notices((struct __sk_buff *)packet);
}

int main(void)
{
	/* A notice is dropped before TCP, and prevents one reduction for its segment. A loss of another segment, or a timeout, halves the window. */
	for (u8 version = 4; version <= 6; version += 2) {
		LISTEN(eln, version, 20);
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
	/* An ACK with the ELN bit passes to TCP. An ACK without the bit, or with unused code points, is no notice. */
	LISTEN(eln, 4, 20);
	EQUAL(hear(4, ELN_IN_ACK), TC_ACT_UNSPEC);
	EQUAL(CALL(eln_ssthresh), 20);
	EQUAL(hear(4, 1), TC_ACT_UNSPEC);
	EQUAL(hear(4, NOTICE_BITS), TC_ACT_UNSPEC);
	EQUAL(CALL(eln_ssthresh), 10);
	/* Sixteen notices are stored: the seventeenth replaces the first. */
	LISTEN(eln, 4, 20);
	for (int i = 0; i <= NAMED; i++)
		hear(4, NOTICE_ELN);
	EQUAL(entry.count, NAMED + 1);
	/* A packet without TCP, and one with a truncated header, are no notices. */
	packet[9] = 17;
	EQUAL(hear_notices((struct __sk_buff *)packet), TC_ACT_UNSPEC);
	packet[0] = 0x4f;
	packet[9] = 6;
	EQUAL(hear_notices((struct __sk_buff *)packet), TC_ACT_UNSPEC);
	/* After the end of the connection its notices are dropped too, but nothing is stored. */
	CALL(eln_release);
	EQUAL(is_there, 0);
	EQUAL(hear(4, NOTICE_ELN), TC_ACT_SHOT);
	EQUAL(CALL(eln_ssthresh), 10);
	return failures;
}
