// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP Veno: C. P. Fu and S. C. Liew, TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks, IEEE JSAC 21(2), 2003.
 *
 * Reno with Vegas' estimate N of the flow's queued segments: if N is small, a loss counts as random, and reduces the window less.
 */
#include "airhop.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Number of queued segments from which the path counts as congested (section II-A). */
#define BETA 3
/* Number of RTT samples in a round below which Veno behaves as Reno. */
#define ENOUGH 3

struct veno {
	u32 base; /* smallest round-trip time so far, us; 0: none */
	u32 rtt; /* smallest round-trip time of the last round, us; 0: it had fewer than ENOUGH samples */
	u32 least; /* smallest round-trip time of this round, us; 0: none */
	u32 samples; /* samples of this round */
	u32 end; /* the round ends when data beyond this number is acknowledged */
	bool pauses; /* congested path: true if the last ACK did not grow the window; then the next ACK grows it */
};

SEC("struct_ops")
void BPF_PROG(veno_init, struct sock *sk)
{
	STATE(struct veno, sk)->end = tcp_sk(sk)->snd_una;
}

/* True if N = cwnd (1 - BaseRTT / RTT) (equation 1) is at least BETA. The caller makes sure that `rtt` is not 0. */
static bool is_congested(struct sock *sk)
{
	struct veno *v = STATE(struct veno, sk);
	u64 waits = v->rtt - v->base;

	return tcp_sk(sk)->snd_cwnd * waits >= (u64)BETA * v->rtt;
}

SEC("struct_ops")
void BPF_PROG(veno_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct veno *v = STATE(struct veno, sk);
	u32 rtt = sample->rtt_us;

	if (after(tp->snd_una, v->end)) {
		v->rtt = v->samples >= ENOUGH ? v->least : 0;
		v->least = 0;
		v->samples = 0;
		v->end = tp->snd_nxt;
	}
	if (sample->rtt_us <= 0 || !sample->pkts_acked)
		return;
	v->base = v->base ? min(v->base, rtt) : rtt;
	v->least = v->least ? min(v->least, rtt) : rtt;
	v->samples++;
}

/* Section II-A: on a congested path every second ACK grows the window. */
SEC("struct_ops")
void BPF_PROG(veno_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct veno *v = STATE(struct veno, sk);

	if (!in_slow_start(tcp_sk(sk)) && v->rtt && is_congested(sk)) {
		v->pauses = !v->pauses;
		if (v->pauses)
			return;
	}
	tcp_reno_cong_avoid(sk, ack, acked);
}

/* Section II-B: a random loss reduces the window by a fifth, any other loss by half. */
SEC("struct_ops")
u32 BPF_PROG(veno_ssthresh, struct sock *sk)
{
	if (STATE(struct veno, sk)->rtt && !is_congested(sk))
		return max(tcp_sk(sk)->snd_cwnd * 4 / 5, 2U);
	return tcp_reno_ssthresh(sk);
}

/* Section II-B applies to duplicate ACKs; at a timeout ssthresh is Reno's. */
SEC("struct_ops")
void BPF_PROG(veno_cwnd_event, struct sock *sk, int event)
{
	if (event == CA_EVENT_LOSS)
		tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
u32 BPF_PROG(veno_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops veno = {
	.init = (void *)veno_init,
	.ssthresh = (void *)veno_ssthresh,
	.cong_avoid = (void *)veno_cong_avoid,
	.cwnd_event = (void *)veno_cwnd_event,
	.pkts_acked = (void *)veno_pkts_acked,
	.undo_cwnd = (void *)veno_undo_cwnd,
	.name = "bpf_veno",
};
