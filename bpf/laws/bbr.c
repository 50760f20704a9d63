// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* draft-cardwell-iccrg-bbr-congestion-control-00. */
#include "../bbr.bpf.c"
#include "laws.h"

static u32 three(void)
{
	return 3;
}

static struct bbr *state(void)
{
	return STATE(struct bbr, (struct sock *)tp);
}

static struct sock *sock(void)
{
	return (struct sock *)tp;
}

static void open(void)
{
	airhop_get_prandom_u32 = three;
	connect(10, TCP_INFINITE_SSTHRESH);
	tp->srtt_us = 100000 << 3;
	CALL(bbr_init);
}

/* A round trip of 100 ms: `segments` segments are acknowledged at this rate per second, and equally many are sent. */
static void round_of(u32 segments, u32 rate)
{
	struct rate_sample rs = { .prior_delivered = tp->delivered, .delivered = segments, .rtt_us = 100000, .acked_sacked = segments };

	rs.interval_us = segments * SECOND / rate;
	rs.is_app_limited = tp->app_limited != 0;
	tp->tcp_mstamp += 100000;
	tp->delivered += segments;
	rs.prior_in_flight = tp->packets_out + segments;
	CALL(bbr_cong_control, 0, 0, (unsigned long long)&rs);
}

int main(void)
{
	/* Section 4.3.2: the initial rate is the window divided by the round trip, times 2.885: 10 segments in an srtt of 100 ms are 288,574 bytes per
	 * second. */
	open();
	round_of(10, 100);
	EQUAL(sock()->sk_pacing_rate, 288574);
	EQUAL(greatest_bw(state()), 100 * ONE);
	EQUAL(state()->min_rtt, 100000);
	EQUAL(tp->snd_cwnd, 20);

	/* Section 4.3.2.2: the pipe is full after three round trips in which the rate grew by less than a quarter. BBR drains until at most the
	 * bandwidth-delay product of 10 is in flight. Then it probes, from phase 5 on, since the random number is 3. */
	round_of(10, 124);
	round_of(10, 100);
	EQUAL(state()->is_full, 0);
	tp->packets_out = 30;
	round_of(10, 100);
	EQUAL(state()->is_full, 1);
	EQUAL(state()->mode, DRAIN);
	tp->packets_out = 10;
	round_of(10, 100);
	EQUAL(state()->mode, PROBE_BW);
	EQUAL(state()->phase, 5);

	/* Section 4.2.3.2: 2 * 124 * 0.1 = 24.8, which is 25, and three quanta of one segment, since the rate is below 1.2 Mbit/s: 28. The phase with
	 * gain 5/4 has two segments more. */
	EQUAL(target(sock(), state(), greatest_bw(state()), CWND_GAIN, 0), 28);
	state()->phase = 0;
	EQUAL(target(sock(), state(), greatest_bw(state()), CWND_GAIN, 0), 30);
	state()->phase = 5;

	/* Section 4.1.1.3: the rate 124 of one round trip is the maximum during ten further round trips; then the maximum is 100. */
	for (int rounds = 0; rounds < 7; rounds++)
		round_of(10, 100);
	EQUAL(greatest_bw(state()), 124 * ONE);
	round_of(10, 100);
	EQUAL(greatest_bw(state()), 100 * ONE);
	/* At a gain of one the pacing rate is 1 % below the estimated rate: 99,000 bytes per second. */
	state()->phase = 5;
	state()->phase_at = tp->tcp_mstamp + 100000;
	round_of(10, 100);
	EQUAL(sock()->sk_pacing_rate, 99000);

	/* Section 4.2.3.4: with 20 segments in flight and one acknowledged, a loss leaves a window of 21 for a round trip; after recovery it is 40 again. */
	tp->snd_cwnd = 40;
	CALL(bbr_ssthresh);
	CALL(bbr_set_state, TCP_CA_Recovery);
	tp->packets_out = 20;
	tp->delivered += 1;
	struct rate_sample lossy = { .delivered = 1, .interval_us = 10000, .rtt_us = -1, .losses = 3, .acked_sacked = 1 };
	lossy.prior_delivered = state()->round_end - 1;
	CALL(bbr_cong_control, 0, 0, (unsigned long long)&lossy);
	EQUAL(tp->snd_cwnd, 21);
	EQUAL(state()->conserves, 1);
	CALL(bbr_set_state, TCP_CA_Open);
	lossy.losses = 0;
	state()->mode = STARTUP;
	CALL(bbr_cong_control, 0, 0, (unsigned long long)&lossy);
	EQUAL(state()->prior_cwnd, 40);
	EQUAL(state()->conserves, 0);

	/* Section 4.3.5: the smallest round trip expires after ten seconds: the window is 4 for 200 ms and a round trip, then as before. */
	open();
	round_of(10, 100);
	tp->snd_cwnd = 40;
	tp->tcp_mstamp += 10 * SECOND;
	tp->packets_out = 4;
	round_of(10, 100);
	EQUAL(state()->mode, PROBE_RTT);
	EQUAL(tp->snd_cwnd, 4);
	round_of(4, 40);
	round_of(4, 40);
	EQUAL(state()->mode, PROBE_RTT);
	round_of(4, 40);
	EQUAL(state()->mode, STARTUP);
	EQUAL(tp->snd_cwnd, 40);
	return failures;
}
