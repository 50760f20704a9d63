//! Properties of every ARQ sender with its receiver, for any losses.

use airhop_base::{Span, Time};
use airhop_engine::EventQueue;
use airhop_radio::arq::{
    ArqPlan, ArqReceiver, ArqReport, ArqRules, ArqSender, LinkAck, LinkFrame, ReceiverOutput,
    RetransmissionGroup,
};
use proptest::prelude::*;

/// Channel that keeps the order of frames. The outcomes of the first frames and of the first link ACKs are
/// given; all later ones arrive.
#[derive(Clone, Debug)]
struct Channel {
    frame: Span,
    delay: Span,
    /// Time for which each of the first link ACKs waits for data in its own direction.
    waits: Vec<Span>,
    lost_frames: Vec<bool>,
    lost_acks: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Push,
    Sent,
    Frame(LinkFrame),
    Ack(LinkAck),
    Due,
}

/// Record of what sender and receiver report.
#[derive(Debug, Default, PartialEq)]
struct Transcript {
    pushed: u64,
    delivered: Vec<u64>,
    reports: Vec<ArqReport>,
    /// Transmissions of frames with data.
    sent: Vec<LinkFrame>,
}

struct World {
    sender: Box<dyn ArqSender>,
    receiver: Box<dyn ArqReceiver>,
    channel: Channel,
    queue: EventQueue<Event>,
    /// Number of packets that wait for room in the window.
    waiting: usize,
    is_sending: bool,
    frames: usize,
    acks: usize,
    last_ack: Time,
    /// Time of the earliest [`Event::Due`] in the queue.
    wakes: Time,
    up: ReceiverOutput,
    said: Transcript,
}

impl World {
    /// Simulates packets that arrive one after another, at these intervals, until no event is left.
    fn run(plan: &ArqPlan, channel: &Channel, arrivals: &[Span]) -> Transcript {
        let mut world = World {
            sender: plan.build_sender(),
            receiver: plan.build_receiver(),
            channel: channel.clone(),
            queue: EventQueue::new(),
            waiting: 0,
            is_sending: false,
            frames: 0,
            acks: 0,
            last_ack: Time::ZERO,
            wakes: Time::MAX,
            up: ReceiverOutput::default(),
            said: Transcript::default(),
        };
        arrivals.iter().for_each(|at| world.queue.push(Time::ZERO + *at, Event::Push));
        while let Some((now, event)) = world.queue.pop_until(Time::MAX) {
            assert!(world.queue.popped_count() < 1_000_000, "no end: {:?}", world.sender);
            world.handle(now, event);
        }
        world.said
    }

    fn handle(&mut self, now: Time, event: Event) {
        match event {
            Event::Push => self.waiting += 1,
            Event::Sent => self.is_sending = false,
            Event::Frame(frame) => self.on_frame(now, frame),
            Event::Ack(ack) => self.sender.on_ack(ack, &mut self.said.reports),
            Event::Due => {
                self.wakes = Time::MAX;
                if self.sender.deadline().is_some_and(|due| due <= now) {
                    self.sender.on_timeout(now, &mut self.said.reports);
                }
            }
        }
        while self.waiting > 0 && self.sender.has_room() {
            self.waiting -= 1;
            assert_eq!(self.sender.push(), self.said.pushed);
            self.said.pushed += 1;
        }
        if !self.is_sending
            && let Some(frame) = self.sender.next_frame(now)
        {
            self.transmit(now, frame);
        }
        if let Some(due) = self.sender.deadline().filter(|due| *due < self.wakes) {
            self.wakes = due;
            self.queue.push(due.max(now), Event::Due);
        }
    }

    fn transmit(&mut self, now: Time, frame: LinkFrame) {
        self.is_sending = true;
        let end = now + self.channel.frame;
        self.queue.push(end, Event::Sent);
        if !frame.is_empty() {
            self.said.sent.push(frame);
        }
        if !self.channel.lost_frames.get(self.frames).is_some_and(|lost| *lost) {
            self.queue.push(end + self.channel.delay, Event::Frame(frame));
        }
        self.frames += 1;
    }

    fn on_frame(&mut self, now: Time, frame: LinkFrame) {
        let answer = self.receiver.on_frame(now, frame, &mut self.up);
        self.said.delivered.append(&mut self.up.deliver);
        let Some(ack) = answer else { return };
        let wait = self.channel.waits.get(self.acks).copied().unwrap_or(Span::ZERO);
        self.last_ack = self.last_ack.max(now + self.channel.delay + wait);
        if !self.channel.lost_acks.get(self.acks).is_some_and(|lost| *lost) {
            self.queue.push(self.last_ack, Event::Ack(ack));
        }
        self.acks += 1;
    }
}

fn rules(most: u32, attempts: Option<u32>) -> impl Strategy<Value = ArqRules> {
    // Frames take 1 to 50 µs, and the propagation delay is 0 to 50 µs, so some timeouts are shorter than the
    // round trip.
    (1..=most, 1_u64..500).prop_map(move |(window, us)| ArqRules {
        window,
        timeout: Span::from_micros(us),
        max_attempts: attempts,
        ack_bytes: 6,
    })
}

fn plan(attempts: Option<u32>) -> impl Strategy<Value = ArqPlan> {
    let group = prop_oneof![Just(RetransmissionGroup::Sliding), Just(RetransmissionGroup::Blocks)];
    prop_oneof![
        (group, rules(70, attempts)).prop_map(|(group, rules)| ArqPlan::GoBackN { group, rules }),
        (any::<bool>(), rules(64, attempts))
            .prop_map(|(srej, rules)| ArqPlan::SelectiveRepeat { srej, rules }),
        (any::<bool>(), rules(4, attempts))
            .prop_map(|(srej, rules)| ArqPlan::SelectiveRepeat { srej, rules }),
    ]
}

prop_compose! {
    fn channel()(
        [frame, delay] in [1_u64..50, 0_u64..50],
        waits in prop::collection::vec((0_u64..60).prop_map(Span::from_micros), 0..100),
        lost_frames in prop::collection::vec(any::<bool>(), 0..200),
        lost_acks in prop::collection::vec(any::<bool>(), 0..100),
    ) -> Channel {
        Channel { frame: Span::from_micros(frame), delay: Span::from_micros(delay), waits, lost_frames, lost_acks }
    }
}

fn arrivals() -> impl Strategy<Value = Vec<Span>> {
    prop::collection::vec((0_u64..3000).prop_map(Span::from_micros), 1..80)
}

/// Returns the plan with a timeout long enough for a frame and its link ACK to arrive.
fn patient(mut plan: ArqPlan, channel: &Channel) -> ArqPlan {
    let longest = channel.waits.iter().max().copied().unwrap_or(Span::ZERO);
    if let ArqPlan::GoBackN { rules, .. } | ArqPlan::SelectiveRepeat { rules, .. } = &mut plan {
        let window = u64::from(rules.window);
        rules.timeout = rules.timeout + channel.frame * window + channel.delay * 2 + longest;
    }
    plan
}

/// Returns the sender's reports about one frame number.
fn of(said: &Transcript, number: u64) -> Vec<ArqReport> {
    let about = |report: &ArqReport| match *report {
        ArqReport::Acknowledged(n)
        | ArqReport::Discarded(n)
        | ArqReport::Aborted(n)
        | ArqReport::Failed { number: n, .. } => n == number,
    };
    said.reports.iter().copied().filter(about).collect()
}

/// Checks the reports about a frame: failures, numbered in order and each followed by a retransmission, and
/// then its acknowledgement or, after the last attempt, its discard.
fn check_story(said: &Transcript, number: u64, limit: Option<u32>) -> Result<(), TestCaseError> {
    let story = of(said, number);
    let (last, failures) = story.split_last().expect("every frame comes to an end");
    let failed = |i: usize, retry| ArqReport::Failed { number, attempt: i as u32 + 1, retry };
    let gave_up = *last == ArqReport::Discarded(number);
    prop_assert!(gave_up || *last == ArqReport::Acknowledged(number), "{story:?}");
    let attempts = said.sent.iter().filter(|f| f.number == number).map(|f| f.attempt);
    prop_assert!(attempts.clone().eq(1..=attempts.clone().count() as u32), "sent as {attempts:?}");
    for (i, report) in failures.iter().enumerate() {
        let is_last = gave_up && i + 1 == failures.len();
        prop_assert_eq!(*report, failed(i, !is_last));
    }
    if gave_up {
        prop_assert_eq!(Some(failures.len() as u32), limit);
    }
    Ok(())
}

proptest! {
    /// Without a limit of attempts every packet arrives once and in order, and the sender reports it once,
    /// for any losses and any timeout.
    #[test]
    fn unlimited_arq_delivers_every_packet_once_in_order(
        plan in plan(None), channel in channel(), arrivals in arrivals(),
    ) {
        let said = World::run(&plan, &channel, &arrivals);
        prop_assert_eq!(said.pushed, arrivals.len() as u64);
        prop_assert!(said.delivered.iter().copied().eq(0..said.pushed), "{:?}", said.delivered);
        for number in 0..said.pushed {
            check_story(&said, number, None)?;
        }
    }

    /// With a limit of attempts, packets arrive in order and at most once, those that do not arrive are
    /// discarded, and no acknowledged packet is discarded.
    #[test]
    fn limited_arq_delivers_or_discards_each_packet(
        (plan, limit) in (1_u32..5).prop_flat_map(|limit| (plan(Some(limit)), Just(limit))),
        channel in channel(), arrivals in arrivals(),
    ) {
        let said = World::run(&plan, &channel, &arrivals);
        prop_assert_eq!(said.pushed, arrivals.len() as u64);
        prop_assert!(said.delivered.is_sorted_by(|a, b| a < b), "{:?}", said.delivered);
        for number in 0..said.pushed {
            check_story(&said, number, Some(limit))?;
            let discarded = of(&said, number).contains(&ArqReport::Discarded(number));
            prop_assert!(discarded || said.delivered.contains(&number), "{} is missing", number);
        }
    }

    /// The sender informs the receiver of a discarded packet, so the receiver does not wait for it when the
    /// next packet arrives.
    #[test]
    fn a_discarded_packet_does_not_delay_the_next_packet(
        (plan, limit) in (1_u32..5).prop_flat_map(|limit| (plan(Some(limit)), Just(limit))),
        channel in channel(), burst in 1_usize..80,
    ) {
        let lost_frames = vec![true; burst * limit as usize];
        let channel = Channel { lost_frames, lost_acks: Vec::new(), ..channel };
        let mut arrivals = vec![Span::ZERO; burst];
        arrivals.push(Span::from_secs(1));
        let said = World::run(&patient(plan, &channel), &channel, &arrivals);
        prop_assert_eq!(&said.delivered, &[burst as u64]);
        prop_assert_eq!(said.sent.last().map(|f| f.attempt), Some(1));
    }

    /// No frame is sent beyond the window: its number is less than a window above that of the oldest
    /// unacknowledged frame.
    #[test]
    fn no_frame_is_sent_beyond_the_arq_window(plan in plan(None), channel in channel(), arrivals in arrivals()) {
        let (ArqPlan::GoBackN { rules, .. } | ArqPlan::SelectiveRepeat { rules, .. }) = &plan else { unreachable!() };
        let said = World::run(&plan, &channel, &arrivals);
        for frame in &said.sent {
            prop_assert!(frame.number < frame.lowest_pending + u64::from(rules.window));
        }
    }

    /// Without losses, and with long timeouts, every frame is sent once.
    #[test]
    fn without_losses_every_frame_is_sent_once(plan in plan(None), channel in channel(), arrivals in arrivals()) {
        let channel = Channel { lost_frames: Vec::new(), lost_acks: Vec::new(), ..channel };
        let said = World::run(&patient(plan, &channel), &channel, &arrivals);
        prop_assert!(said.sent.iter().map(|f| f.number).eq(0..said.pushed), "{:?}", said.sent);
    }

    /// Selective repeat retransmits no frames but lost ones.
    #[test]
    fn selective_repeat_retransmits_lost_frames_only(
        rules in rules(64, None), srej in any::<bool>(), channel in channel(), arrivals in arrivals(),
    ) {
        let channel = Channel { lost_acks: Vec::new(), ..channel };
        let plan = patient(ArqPlan::SelectiveRepeat { srej, rules }, &channel);
        let said = World::run(&plan, &channel, &arrivals);
        let lost = channel.lost_frames.iter().take(said.sent.len()).filter(|lost| **lost).count();
        prop_assert_eq!(said.sent.len(), said.pushed as usize + lost);
    }

    /// With selective reject a gap causes a delay of a round trip; without it, of a timeout.
    #[test]
    fn selective_reject_retransmits_before_the_timeout(rules in rules(64, None), channel in channel()) {
        let channel = Channel { lost_frames: vec![true], lost_acks: Vec::new(), waits: Vec::new(), ..channel };
        let window = rules.window.max(2);
        let again = |srej| {
            let plan = ArqPlan::SelectiveRepeat { srej, rules: ArqRules { window, ..rules } };
            let said = World::run(&patient(plan, &channel), &channel, &[Span::ZERO; 64]);
            said.sent.iter().rposition(|f| f.number == 0).unwrap()
        };
        // The link ACK of the second frame arrives two frames and a round trip after the start, and a frame
        // may start at that time.
        let meanwhile = 3 + (channel.delay * 2).whole_multiples(channel.frame) as usize;
        prop_assert!(again(true) <= meanwhile.min(window as usize));
        prop_assert_eq!(again(false), window as usize);
    }
}
