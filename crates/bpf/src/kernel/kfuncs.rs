//! Kernel functions that congestion controls call (`extern … __ksym`), implemented from RFC 5681 and RFC
//! 3465.

use super::layout::{Field, Layout, StructImage};

/// Kernel function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kfunc {
    /// `u32 tcp_slow_start(tp, acked)`.
    SlowStart,
    /// `void tcp_cong_avoid_ai(tp, w, acked)`.
    CongAvoidAi,
    /// `u32 tcp_reno_ssthresh(sk)`.
    RenoSsthresh,
    /// `u32 tcp_reno_undo_cwnd(sk)`.
    RenoUndoCwnd,
    /// `void tcp_reno_cong_avoid(sk, ack, acked)`.
    RenoCongAvoid,
    /// `void cubictcp_init(sk)`.
    CubicInit,
    /// `void cubictcp_acked(sk, sample)`.
    CubicAcked,
    /// `void cubictcp_cong_avoid(sk, ack, acked)`.
    CubicCongAvoid,
    /// `u32 cubictcp_recalc_ssthresh(sk)`.
    CubicSsthresh,
    /// `void cubictcp_state(sk, new_state)`.
    CubicState,
    /// `void cubictcp_cwnd_event(sk, event)`.
    CubicCwndEvent,
}

impl Kfunc {
    /// All kernel functions that Airhop simulates.
    pub(crate) const ALL: [Kfunc; 11] = [
        Kfunc::SlowStart,
        Kfunc::CongAvoidAi,
        Kfunc::RenoSsthresh,
        Kfunc::RenoUndoCwnd,
        Kfunc::RenoCongAvoid,
        Kfunc::CubicInit,
        Kfunc::CubicAcked,
        Kfunc::CubicCongAvoid,
        Kfunc::CubicSsthresh,
        Kfunc::CubicState,
        Kfunc::CubicCwndEvent,
    ];

    /// Returns the function's name in the kernel.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kfunc::SlowStart => "tcp_slow_start",
            Kfunc::CongAvoidAi => "tcp_cong_avoid_ai",
            Kfunc::RenoSsthresh => "tcp_reno_ssthresh",
            Kfunc::RenoUndoCwnd => "tcp_reno_undo_cwnd",
            Kfunc::RenoCongAvoid => "tcp_reno_cong_avoid",
            Kfunc::CubicInit => "cubictcp_init",
            Kfunc::CubicAcked => "cubictcp_acked",
            Kfunc::CubicCongAvoid => "cubictcp_cong_avoid",
            Kfunc::CubicSsthresh => "cubictcp_recalc_ssthresh",
            Kfunc::CubicState => "cubictcp_state",
            Kfunc::CubicCwndEvent => "cubictcp_cwnd_event",
        }
    }

    /// Returns the function with this name. An error explains why Airhop does not simulate the function.
    pub(crate) fn from_name(name: &str) -> Result<Kfunc, String> {
        Kfunc::ALL.into_iter().find(|kfunc| kfunc.name() == name).ok_or_else(|| {
            let known = Kfunc::ALL.map(Kfunc::name).join(", ");
            let reason = match name.split_once('_') {
                Some((module @ ("bbr" | "dctcp"), _)) => {
                    format!(", part of the kernel's own {module}")
                }
                _ => String::new(),
            };
            format!("calls {name}(){reason}, which is not simulated (simulated functions: {known})")
        })
    }

    /// Calls the function for a socket. `arguments` are the arguments after the socket.
    pub(crate) fn call(
        self,
        window: &WindowFields,
        socket: &mut StructImage,
        arguments: [u64; 2],
    ) -> Result<u64, String> {
        let (first, second) = (arguments[0] as u32, arguments[1] as u32);
        match self {
            Kfunc::SlowStart => Ok(window.slow_start(socket, first).into()),
            Kfunc::CongAvoidAi => window.additive_increase(socket, first, second).map(|()| 0),
            Kfunc::RenoSsthresh => Ok((window.cwnd(socket) / 2).max(2).into()), // RFC 5681 §3.1 (4), in segments
            Kfunc::RenoUndoCwnd => Ok(u64::from(window.cwnd(socket)).max(socket.get(window.prior_cwnd))),
            Kfunc::RenoCongAvoid => window.reno_cong_avoid(socket, second).map(|()| 0),
            _ => Err("is the kernel's own CUBIC".into()),
        }
    }

    /// True for functions of the kernel's own CUBIC. CUBIC has a separate state for each socket.
    pub(crate) fn is_cubic(self) -> bool {
        self.name().starts_with("cubictcp_")
    }
}

/// Locations of the socket members for the congestion window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowFields {
    snd_cwnd: Field,
    snd_cwnd_cnt: Field,
    snd_cwnd_clamp: Field,
    snd_ssthresh: Field,
    prior_cwnd: Field,
    max_packets_out: Field,
    is_cwnd_limited: Field,
}

impl WindowFields {
    /// Names of the members.
    pub(crate) const MEMBER_NAMES: [&'static str; 7] = [
        "snd_cwnd",
        "snd_cwnd_cnt",
        "snd_cwnd_clamp",
        "snd_ssthresh",
        "prior_cwnd",
        "max_packets_out",
        "is_cwnd_limited",
    ];

    /// Finds the members in a socket's layout.
    pub(crate) fn from_layout(layout: &Layout) -> WindowFields {
        let mut fields = WindowFields::MEMBER_NAMES
            .map(|name| layout.find_field(name).expect("every socket's layout has its window"))
            .into_iter();
        let mut next = || fields.next().expect("one value for each name");
        WindowFields {
            snd_cwnd: next(),
            snd_cwnd_cnt: next(),
            snd_cwnd_clamp: next(),
            snd_ssthresh: next(),
            prior_cwnd: next(),
            max_packets_out: next(),
            is_cwnd_limited: next(),
        }
    }

    /// Sets the maximum window and ssthresh to `most` segments.
    pub(crate) fn clamp_cwnd(&self, socket: &mut StructImage, most: u32) {
        socket.set(self.snd_cwnd_clamp, most.into());
        socket.set(self.snd_ssthresh, most.into());
    }

    /// Returns the window and the slow-start threshold.
    pub(crate) fn cwnd_and_ssthresh(&self, socket: &StructImage) -> [u32; 2] {
        [self.snd_cwnd, self.snd_ssthresh].map(|field| socket.get(field) as u32)
    }

    /// Sets the window and ssthresh.
    pub(crate) fn set_cwnd_and_ssthresh(&self, socket: &mut StructImage, cwnd: u32, ssthresh: u32) {
        self.set_cwnd(socket, cwnd);
        socket.set(self.snd_ssthresh, ssthresh.into());
    }

    pub(crate) fn cwnd(&self, socket: &StructImage) -> u32 {
        socket.get(self.snd_cwnd) as u32
    }

    /// Sets the window, limited by `snd_cwnd_clamp`.
    fn set_cwnd(&self, socket: &mut StructImage, cwnd: u32) {
        let clamp = socket.get(self.snd_cwnd_clamp) as u32;
        socket.set(self.snd_cwnd, cwnd.min(clamp).into());
    }

    /// True in slow start, i.e. below ssthresh (RFC 5681 §3.1).
    fn in_slow_start(&self, socket: &StructImage) -> bool {
        self.cwnd(socket) < socket.get(self.snd_ssthresh) as u32
    }

    /// Increases the window by the number of acknowledged segments, up to ssthresh (RFC 3465 §2.2). Returns
    /// the number of `acked` segments left for congestion avoidance.
    fn slow_start(&self, socket: &mut StructImage, acked: u32) -> u32 {
        let cwnd = self.cwnd(socket);
        let grown = cwnd.saturating_add(acked).min(socket.get(self.snd_ssthresh) as u32);
        self.set_cwnd(socket, grown);
        acked.wrapping_sub(grown.wrapping_sub(cwnd))
    }

    /// Increases the window by one segment per `w` acknowledged segments (RFC 3465 §2.1). Segments that were
    /// counted for a larger `w` add at most one segment.
    fn additive_increase(&self, socket: &mut StructImage, w: u32, acked: u32) -> Result<(), String> {
        if w == 0 {
            return Err(
                "a segment for each w = 0 that are acknowledged: the kernel would divide by it".into()
            );
        }
        let (mut cwnd, mut counted) = (self.cwnd(socket), socket.get(self.snd_cwnd_cnt) as u32);
        if counted >= w {
            (cwnd, counted) = (cwnd.wrapping_add(1), 0);
        }
        counted = counted.wrapping_add(acked);
        socket.set(self.snd_cwnd_cnt, (counted % w).into());
        self.set_cwnd(socket, cwnd.wrapping_add(counted / w));
        Ok(())
    }

    /// True if the flight uses enough of the window for the window to grow (RFC 7661 §4.2). Half the window
    /// is enough in slow start.
    pub(crate) fn is_cwnd_limited(&self, socket: &StructImage) -> bool {
        match self.in_slow_start(socket) {
            true => u64::from(self.cwnd(socket)) < 2 * socket.get(self.max_packets_out),
            false => socket.get(self.is_cwnd_limited) != 0,
        }
    }

    /// Grows the window by slow start, then by congestion avoidance with the remaining segments (RFC 5681
    /// §3.1).
    fn reno_cong_avoid(&self, socket: &mut StructImage, acked: u32) -> Result<(), String> {
        if !self.is_cwnd_limited(socket) {
            return Ok(());
        }
        let left = if self.in_slow_start(socket) { self.slow_start(socket, acked) } else { acked };
        match left {
            0 => Ok(()),
            left => self.additive_increase(socket, self.cwnd(socket), left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::Btf;
    use crate::kernel::{Socket, socket_layout};
    use std::sync::Arc;

    /// Calls a kernel function for a socket with these members. Returns the result, the window, and the count
    /// towards the next segment.
    fn call(kfunc: Kfunc, arguments: [u64; 2], members: &[(&str, u64)]) -> Result<(u64, u64, u64), String> {
        let no_types = [0x1_eb9f_u32, 24, 0, 0, 0, 0].map(u32::to_le_bytes).concat();
        let layout = socket_layout(&Arc::new(Btf::read(&no_types).unwrap()), &[]).unwrap().complete();
        let mut socket = Socket::new(&layout, 0, 0);
        for (member, value) in [("snd_cwnd_clamp", 100), ("is_cwnd_limited", 1)].iter().chain(members) {
            socket.image.set(layout.find_field(member).unwrap(), *value);
        }
        let window = socket.window_fields;
        let result = kfunc.call(&window, &mut socket.image, arguments)?;
        Ok((result, socket.image.get(window.snd_cwnd), socket.image.get(window.snd_cwnd_cnt)))
    }

    // RFC 3465 §2.2 below ssthresh; the window never exceeds the clamp.
    #[test]
    fn tcp_slow_start_never_exceeds_ssthresh_or_the_clamp() {
        let grown = |acked, ssthresh, cwnd| {
            call(Kfunc::SlowStart, [acked, 0], &[("snd_cwnd", cwnd), ("snd_ssthresh", ssthresh)])
                .map(|(left, cwnd, _)| (left, cwnd))
        };
        assert_eq!(grown(4, 50, 10), Ok((0, 14)));
        assert_eq!(grown(4, 12, 10), Ok((2, 12)));
        assert_eq!(grown(20, 200, 90), Ok((0, 100)));
    }

    // RFC 3465 §2.1; acknowledgements counted with a larger window add at most one segment.
    #[test]
    fn tcp_cong_avoid_ai_adds_one_segment_per_window() {
        let grown = |w, acked, counted| {
            call(Kfunc::CongAvoidAi, [w, acked], &[("snd_cwnd", 10), ("snd_cwnd_cnt", counted)])
        };
        assert_eq!(grown(10, 2, 7), Ok((0, 10, 9)));
        assert_eq!(grown(10, 2, 9), Ok((0, 11, 1)));
        assert_eq!(grown(2, 9, 0), Ok((0, 14, 1)));
        assert_eq!(grown(10, 2, 57), Ok((0, 11, 2)));
        assert!(grown(0, 2, 0).expect_err("a division by zero").contains("w = 0"));
    }

    // RFC 5681 §3.1: ssthresh is half of the window, at least two segments. Slow start precedes congestion
    // avoidance. RFC 7661 §4.2: the window grows only if the flight uses it.
    #[test]
    fn tcp_reno_halves_ssthresh_and_grows_a_used_window() {
        let halved = |cwnd| call(Kfunc::RenoSsthresh, [0, 0], &[("snd_cwnd", cwnd)]).map(|(half, ..)| half);
        assert_eq!([halved(11), halved(3), halved(1)], [Ok(5), Ok(2), Ok(2)]);
        let undone = |prior| {
            call(Kfunc::RenoUndoCwnd, [0, 0], &[("snd_cwnd", 10), ("prior_cwnd", prior)])
                .map(|(cwnd, ..)| cwnd)
        };
        assert_eq!([undone(20), undone(5)], [Ok(20), Ok(10)]);
        let grown = |members: &[(&str, u64)]| {
            call(Kfunc::RenoCongAvoid, [0, 3], &[&[("snd_cwnd", 10)], members].concat())
                .map(|(_, cwnd, counted)| (cwnd, counted))
        };
        assert_eq!(grown(&[("snd_ssthresh", 10)]), Ok((10, 3)));
        assert_eq!(grown(&[("snd_ssthresh", 10), ("is_cwnd_limited", 0)]), Ok((10, 0)));
        assert_eq!(grown(&[("snd_ssthresh", 12), ("max_packets_out", 6)]), Ok((12, 1)));
        assert_eq!(
            grown(&[("snd_ssthresh", 12), ("max_packets_out", 5)]),
            Ok((10, 0)),
            "half of it is not more than half"
        );
    }

    #[test]
    fn a_kfunc_of_another_module_is_refused_by_name() {
        let refusal = Kfunc::from_name("bbr_init").expect_err("the kernel's own");
        assert!(
            refusal.contains("bbr_init()")
                && refusal.contains("the kernel's own bbr")
                && refusal.contains("tcp_slow_start")
        );
        assert_eq!(Kfunc::from_name("cubictcp_init"), Ok(Kfunc::CubicInit));
    }
}
