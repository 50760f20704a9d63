//! Links that change at known times: new rates, outages, and handoffs of the mobile to another base station.
//!
//! All changes are known before the run. A transmitter computes the end of a packet by integrating the rate,
//! so changes need no events.

use crate::address::LinkEnd;
use airhop_base::{Rate, Span, Time};
use std::sync::Arc;

/// Change of a link at a given time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduledChange {
    /// Time at which the change begins.
    pub at: Time,
    /// Kind of the change.
    pub kind: ChangeKind,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChangeKind {
    /// New rate.
    Rate(Rate),
    /// Outage of this duration. No bits are sent, and packets wait. An interrupted packet continues after the
    /// outage with its remaining bits.
    Outage(Span),
    /// Handoff of the mobile to another base station.
    Handoff(Handoff),
}

/// Hard handoff: the mobile leaves one base station, and reaches the next after a gap. During the gap neither
/// end can send to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handoff {
    /// Duration of the gap, not zero.
    pub gap: Span,
    /// End of the link at the mobile. The mobile keeps its waiting packets in a handoff.
    pub mobile_end: LinkEnd,
    /// True if the old base station forwards its waiting packets and the packets that arrive during the gap.
    /// False if these packets are lost.
    pub is_forwarded: bool,
    /// Rate of the new cell; `None` if it does not change.
    pub rate: Option<Rate>,
    /// Propagation delay through the new cell; `None` if it does not change.
    pub delay: Option<Span>,
}

/// Schedule of one direction of a link: rate and delay as functions of time.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSchedule {
    /// Phases in chronological order. The first begins at time 0. The last never ends and is no outage or
    /// gap.
    phases: Vec<Phase>,
    handoffs: Vec<(Time, Handoff)>,
}

/// Interval in which rate and delay are constant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Phase {
    from: Time,
    pace: PhaseState,
    /// Propagation delay of packets sent in the phase.
    delay: Span,
}

/// State of a transmitter in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PhaseState {
    Sends(Rate),
    /// Outage: no bits are sent.
    Waits,
    /// Gap of a handoff: the other end is not reachable.
    Moves(Handoff),
}

/// Start or end of a change, for building the phases.
enum ChangeEdge {
    Begins(ScheduledChange),
    OutageEnds,
    HandoffEnds(Handoff),
}

impl LinkSchedule {
    /// Builds the schedule of one direction, with this rate and delay before the first of `changes`. Outages
    /// and handoff gaps must not overlap.
    pub fn new(rate: Rate, delay: Span, changes: &[ScheduledChange]) -> Self {
        let mut edges: Vec<(Time, ChangeEdge)> = Vec::new();
        for change in changes {
            match change.kind {
                ChangeKind::Rate(_) => {}
                ChangeKind::Outage(lasts) => edges.push((change.at + lasts, ChangeEdge::OutageEnds)),
                ChangeKind::Handoff(handoff) => {
                    edges.push((change.at + handoff.gap, ChangeEdge::HandoffEnds(handoff)))
                }
            }
            edges.push((change.at, ChangeEdge::Begins(*change)));
        }
        // At equal times the end of a change comes before the start of another.
        edges.sort_by_key(|(at, edge)| (*at, matches!(edge, ChangeEdge::Begins(_))));
        let mut schedule = LinkSchedule {
            phases: vec![Phase { from: Time::ZERO, pace: PhaseState::Sends(rate), delay }],
            handoffs: Vec::new(),
        };
        let (mut rate, mut delay, mut halted) = (rate, delay, None);
        for (at, edge) in edges {
            match edge {
                ChangeEdge::Begins(ScheduledChange { kind: ChangeKind::Rate(new), .. }) => rate = new,
                ChangeEdge::Begins(ScheduledChange { kind: ChangeKind::Outage(_), .. }) => {
                    halted = Some(PhaseState::Waits)
                }
                ChangeEdge::Begins(ScheduledChange { kind: ChangeKind::Handoff(handoff), .. }) => {
                    halted = Some(PhaseState::Moves(handoff));
                    schedule.handoffs.push((at, handoff));
                }
                ChangeEdge::OutageEnds => halted = None,
                ChangeEdge::HandoffEnds(handoff) => {
                    halted = None;
                    rate = handoff.rate.unwrap_or(rate);
                    delay = handoff.delay.unwrap_or(delay);
                }
            }
            schedule.push_phase(Phase { from: at, pace: halted.unwrap_or(PhaseState::Sends(rate)), delay });
        }
        schedule
    }

    fn push_phase(&mut self, phase: Phase) {
        match self.phases.last_mut() {
            Some(last) if last.from == phase.from => *last = phase,
            Some(last) if last.pace == phase.pace && last.delay == phase.delay => {}
            _ => self.phases.push(phase),
        }
    }

    /// Returns the start, rate and delay of each phase; the rate is `None` in outages and handoff gaps.
    pub fn phases(&self) -> impl Iterator<Item = (Time, Option<Rate>, Span)> {
        self.phases.iter().map(|phase| match phase.pace {
            PhaseState::Sends(rate) => (phase.from, Some(rate), phase.delay),
            PhaseState::Waits | PhaseState::Moves(_) => (phase.from, None, phase.delay),
        })
    }

    /// Returns the intervals [begin, end) in which frames sent by `end` are lost: the gaps of handoffs
    /// without forwarding.
    pub fn loss_intervals(&self, end: LinkEnd) -> Vec<[Time; 2]> {
        let lost = self.handoffs.iter().filter(|(_, handoff)| handoff.loses_departures(end));
        lost.map(|(at, handoff)| [*at, *at + handoff.gap]).collect()
    }

    /// Returns the lowest rate of the schedule.
    pub fn lowest_rate(&self) -> Rate {
        let rates = self.phases().filter_map(|(_, rate, _)| rate);
        rates.min().expect("the last phase has a rate")
    }
}

impl Handoff {
    /// True if packets that `end` sends or queues are lost in the gap.
    fn loses_departures(&self, end: LinkEnd) -> bool {
        !self.is_forwarded && end != self.mobile_end
    }
}

/// Position of a transmitter in its schedule; calls must be in chronological order.
#[derive(Debug)]
pub struct ScheduleCursor {
    schedule: Arc<LinkSchedule>,
    end: LinkEnd,
    /// Index of the present phase.
    here: usize,
    /// Arrival time of the last packet.
    arrived: Time,
}

impl ScheduleCursor {
    /// Creates the cursor of the transmitter at `end`.
    pub fn new(schedule: Arc<LinkSchedule>, end: LinkEnd) -> Self {
        ScheduleCursor { schedule, end, here: 0, arrived: Time::ZERO }
    }

    fn advance_to(&mut self, now: Time) {
        while self.schedule.phases.get(self.here + 1).is_some_and(|next| next.from <= now) {
            self.here += 1;
        }
    }

    /// Returns the time of the first bit of a packet that reaches the transmitter at `now`: `now`, or the end
    /// of an outage or gap.
    pub fn transmission_start(&mut self, now: Time) -> Time {
        self.advance_to(now);
        let mut ahead = self.schedule.phases[self.here..].iter();
        match ahead.find(|phase| !phase.pace.holds_packets_at(self.end)) {
            Some(phase) => phase.from.max(now),
            None => unreachable!("the last phase has a rate"),
        }
    }

    /// Returns the time of the last bit of a packet of `bytes` bytes that reaches the transmitter at `now`.
    /// After a change of rate or an outage, the packet on the transmitter continues with its remaining bits.
    /// A packet that a handoff interrupts is sent again from its first bit over the new cell, or is lost. A
    /// lost packet leaves the transmitter at the end of the gap.
    pub fn transmission_end(&mut self, now: Time, bytes: u32) -> Time {
        self.advance_to(now);
        // Work is counted in billionths of a bit: rate times nanoseconds is then an integer.
        let whole = u128::from(bytes) * 8 * 1_000_000_000;
        let (mut left, mut at) = (whole, now);
        let ahead = &self.schedule.phases[self.here..];
        for (phase, next) in ahead.iter().zip(&ahead[1..]) {
            match phase.pace {
                PhaseState::Sends(rate) => {
                    let sent = u128::from(rate.bps()) * u128::from((next.from - at).nanos());
                    if left <= sent {
                        return at + serialisation_time(left, rate);
                    }
                    left -= sent;
                }
                PhaseState::Waits => {}
                PhaseState::Moves(handoff) if handoff.loses_departures(self.end) => return next.from,
                PhaseState::Moves(_) => left = whole,
            }
            at = next.from;
        }
        match ahead.last().map(|phase| phase.pace) {
            Some(PhaseState::Sends(rate)) => at + serialisation_time(left, rate),
            _ => unreachable!("the last phase has a rate"),
        }
    }

    /// Returns the arrival time of a packet with its last bit sent at `sent`. A link keeps the order of
    /// packets: on a shorter path, a packet arrives no earlier than the previous packet. 3GPP's PDCP also
    /// delivers in sequence across a handoff (TS 38.323 §5.2.2).
    pub fn arrival_time(&mut self, sent: Time) -> Time {
        self.advance_to(sent);
        self.arrived = self.arrived.max(sent + self.schedule.phases[self.here].delay);
        self.arrived
    }
}

impl PhaseState {
    /// True if packets at the transmitter of `end` wait in this phase.
    fn holds_packets_at(self, end: LinkEnd) -> bool {
        match self {
            PhaseState::Sends(_) => false,
            PhaseState::Waits => true,
            PhaseState::Moves(handoff) => !handoff.loses_departures(end),
        }
    }
}

/// Returns the serialisation time of `work` billionths of a bit, rounded up to a nanosecond.
fn serialisation_time(work: u128, rate: Rate) -> Span {
    Span::from_nanos(u64::try_from(work.div_ceil(u128::from(rate.bps()))).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Span = Span::from_millis(50);

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    fn ms(ms: u64) -> Time {
        at(1000 * ms)
    }

    fn rate(from: Time, bps: u64) -> ScheduledChange {
        ScheduledChange { at: from, kind: ChangeKind::Rate(Rate::from_bps(bps)) }
    }

    fn outage(from: Time, lasts: u64) -> ScheduledChange {
        ScheduledChange { at: from, kind: ChangeKind::Outage(Span::from_millis(lasts)) }
    }

    /// Creates a handoff of end 1.
    fn handoff(
        from: Time,
        gap: u64,
        is_forwarded: bool,
        bps: Option<u64>,
        delay: Option<u64>,
    ) -> ScheduledChange {
        let kind = ChangeKind::Handoff(Handoff {
            gap: Span::from_millis(gap),
            mobile_end: 1,
            is_forwarded,
            rate: bps.map(Rate::from_bps),
            delay: delay.map(Span::from_millis),
        });
        ScheduledChange { at: from, kind }
    }

    fn walk(bps: u64, changes: &[ScheduledChange], end: LinkEnd) -> ScheduleCursor {
        ScheduleCursor::new(Arc::new(LinkSchedule::new(Rate::from_bps(bps), DELAY, changes)), end)
    }

    /// Returns the times of a packet's first and last bit.
    fn sent(walk: &mut ScheduleCursor, now: Time, bytes: u32) -> [Time; 2] {
        [walk.transmission_start(now), walk.transmission_end(now, bytes)]
    }

    #[test]
    fn a_rate_change_applies_to_the_packet_in_transmission() {
        // Of 8000 bits, 5000 are sent at 1 Mbit/s and 3000 at 4 Mbit/s.
        let mut faster = walk(1_000_000, &[rate(ms(5), 4_000_000)], 0);
        assert_eq!(sent(&mut faster, Time::ZERO, 1000), [Time::ZERO, at(5750)]);
        assert_eq!(sent(&mut faster, at(5750), 1000), [at(5750), at(7750)]);
        // Several rates, the last of which begins as the packet ends: 2000 + 1000 + 4000 + 1000 bits.
        let steps =
            [rate(ms(2), 500_000), rate(ms(4), 1_000_000), rate(ms(8), 100_000), rate(ms(18), 1_000_000)];
        assert_eq!(sent(&mut walk(1_000_000, &steps, 0), Time::ZERO, 1000), [Time::ZERO, ms(18)]);
        // Fractions of a bit count, and only the end of the packet is rounded up. Of 1024 bits 192 are sent
        // in 10 ms, and 832 at 56 kbit/s in 14.857142857 ms.
        let mut air = walk(19_200, &[rate(ms(10), 56_000)], 1);
        assert_eq!(air.transmission_end(Time::ZERO, 128), Time::from_nanos(24_857_143));
        // A change after the end of the packet has no effect on it.
        assert_eq!(
            walk(19_200, &[rate(ms(100), 56_000)], 0).transmission_end(Time::ZERO, 128),
            Time::from_nanos(53_333_334)
        );
    }

    #[test]
    fn packets_wait_during_an_outage() {
        let changes = [outage(ms(4), 2000), rate(ms(1000), 2_000_000)];
        let mut walk = walk(1_000_000, &changes, 0);
        // 4000 bits are sent before the outage; after it 4000 are sent at the rate that began during the
        // outage.
        assert_eq!(sent(&mut walk, Time::ZERO, 1000), [Time::ZERO, ms(2006)]);
        assert_eq!(sent(&mut walk, ms(2006), 1000), [ms(2006), ms(2010)]);
        // A packet that arrives during the outage begins at the end of the outage.
        let mut late = self::walk(1_000_000, &changes, 0);
        assert_eq!(sent(&mut late, ms(10), 1000), [ms(2004), ms(2008)]);
        // The first of two consecutive outages begins at time zero.
        let mut twice = self::walk(1_000_000, &[outage(Time::ZERO, 5), outage(ms(5), 5)], 0);
        assert_eq!(sent(&mut twice, Time::ZERO, 1000), [ms(10), ms(18)]);
    }

    #[test]
    fn a_forwarding_handoff_restarts_the_packet_in_transmission() {
        let changes = [handoff(ms(5), 100, true, Some(2_000_000), Some(10))];
        for end in [0, 1] {
            assert_eq!(sent(&mut walk(1_000_000, &changes, end), Time::ZERO, 1000), [Time::ZERO, ms(109)]);
            assert_eq!(sent(&mut walk(1_000_000, &changes, end), ms(50), 1000), [ms(105), ms(109)]);
            // The last bit is sent before the gap.
            assert_eq!(sent(&mut walk(1_600_000, &changes, end), Time::ZERO, 1000), [Time::ZERO, ms(5)]);
        }
        assert!([0, 1].iter().all(|end| walk(1, &changes, *end).schedule.loss_intervals(*end).is_empty()));
    }

    #[test]
    fn a_handoff_without_forwarding_discards_the_packet() {
        let changes = [handoff(ms(5), 100, false, None, None)];
        let base = || walk(1_000_000, &changes, 0);
        assert_eq!(sent(&mut base(), Time::ZERO, 1000), [Time::ZERO, ms(105)]);
        assert_eq!(sent(&mut base(), ms(50), 1000), [ms(50), ms(105)]);
        assert_eq!(sent(&mut base(), ms(105), 1000), [ms(105), ms(113)]);
        // The end at the mobile loses no packet.
        assert_eq!(sent(&mut walk(1_000_000, &changes, 1), Time::ZERO, 1000), [Time::ZERO, ms(113)]);
        assert_eq!(base().schedule.loss_intervals(0), [[ms(5), ms(105)]]);
        assert!(base().schedule.loss_intervals(1).is_empty());
    }

    #[test]
    fn no_packet_overtakes_on_the_shorter_path_after_a_handoff() {
        let mut walk = walk(1_000_000, &[handoff(ms(5), 1, true, None, Some(10))], 0);
        let arrivals = [4, 5, 6, 7, 45, 46].map(|left| walk.arrival_time(ms(left)));
        assert_eq!(arrivals, [54, 55, 55, 55, 55, 56].map(ms));
        // A longer path causes no reordering.
        let mut longer = self::walk(1_000_000, &[handoff(ms(5), 1, true, None, Some(90))], 0);
        assert_eq!([5, 6, 7].map(|left| longer.arrival_time(ms(left))), [55, 96, 97].map(ms));
    }

    #[test]
    fn a_link_schedule_lists_its_phases() {
        let (fast, slow) = (Rate::from_bps(10), Rate::from_bps(2));
        // The rate after a gap is that of the last change, even if this change is within the gap. A change to
        // the same rate begins no phase.
        let changes = [
            handoff(ms(30), 10, true, Some(2), Some(10)),
            rate(ms(35), 7),
            outage(ms(40), 10),
            rate(ms(45), 10),
            rate(ms(60), 10),
        ];
        let schedule = LinkSchedule::new(fast, DELAY, &changes);
        let phases: Vec<_> = schedule.phases().collect();
        let near = Span::from_millis(10);
        assert_eq!(
            phases,
            [
                (Time::ZERO, Some(fast), DELAY),
                (ms(30), None, DELAY),
                (ms(40), None, near),
                (ms(50), Some(fast), near)
            ]
        );
        assert_eq!(schedule.lowest_rate(), fast);
        let schedule = LinkSchedule::new(fast, DELAY, &changes[..2]);
        assert_eq!(schedule.phases().last(), Some((ms(40), Some(slow), near)));
        assert_eq!(schedule.lowest_rate(), slow);
    }

    /// For all changes of a link, the integral of the rate from the first to the last bit of a packet is the
    /// packet's length. The difference is at most the rounding of the end to a nanosecond.
    #[test]
    fn the_integral_of_the_rate_equals_the_packet_length() {
        let mut random = {
            let mut state = 1_u64;
            move |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % below
            }
        };
        for _ in 0..50 {
            let mut changes = Vec::new();
            let mut now = Time::ZERO;
            for _ in 0..40 {
                now += Span::from_nanos(1 + random(20_000_000));
                if random(3) == 0 {
                    changes.push(outage(now, 1 + random(10)));
                    now += Span::from_millis(10);
                } else {
                    changes.push(rate(now, 1 + random(10_000_000)));
                }
            }
            let schedule = Arc::new(LinkSchedule::new(Rate::from_bps(1_000_003), DELAY, &changes));
            let rates: Vec<_> =
                schedule.phases().map(|(from, rate, _)| (from, rate.map_or(0, Rate::bps))).collect();
            let ends = rates.iter().skip(1).map(|(from, _)| *from).chain([Time::MAX]);
            let pieces: Vec<_> =
                rates.iter().zip(ends).map(|((from, bps), end)| (*from, end, *bps)).collect();
            // Returns the number of billionths of a bit that can be sent between two times.
            let room = |from: Time, to: Time| -> u128 {
                let piece = |&(begin, end, bps): &(Time, Time, u64)| {
                    u128::from(end.min(to).since(begin.max(from)).nanos()) * u128::from(bps)
                };
                pieces.iter().map(piece).sum()
            };
            let mut walk = ScheduleCursor::new(schedule, 0);
            let mut free = Time::ZERO;
            while free < now {
                let (start, bytes) = (free + Span::from_nanos(random(1_000_000)), 40 + random(1500) as u32);
                let [begin, end] = sent(&mut walk, start, bytes);
                let bits = u128::from(bytes) * 8_000_000_000;
                assert!(begin >= start && end > begin && room(start, begin) == 0);
                assert!(room(begin, end) >= bits && room(begin, Time::from_nanos(end.nanos() - 1)) < bits);
                free = end;
            }
        }
    }
}
