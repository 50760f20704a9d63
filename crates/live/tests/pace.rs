//! Tests of the emulator's loop, with a clock that advances by a microsecond at each reading, and with timers
//! and ports that the test controls.

use crate::wire::{ENDS, Wire, datagram};
use airhop_base::{NodeId, Span, Time};
use airhop_live::clock::Clock;
use airhop_live::drive::{LoopError, LoopResult, Progress, RealTimeLoop, Sleeper, Stall};
use airhop_live::log::{LogReader, LogWriter};
use airhop_live::port::{MemoryPort, Port};
use airhop_live::{DepartedDatagram, EndReason, SimulatedNetwork, WorldStopped, replay};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::mpsc;

const READING: Span = Span::from_micros(1);

/// Datagram that a host sends: its time, its port and its bytes.
type Sending = (Time, usize, Vec<u8>);

/// Simulated machine: its time advances only when the clock is read and while the loop sleeps.
#[derive(Clone, Default)]
struct Machine {
    now: Rc<Cell<Time>>,
    traffic: Rc<RefCell<VecDeque<Sending>>>,
    ports: [MemoryPort; 2],
    /// Delayed wake-ups: the first sleep that ends after this time lasts longer than requested by this span.
    /// Later sleeps last as long as requested.
    oversleeps: Rc<RefCell<Vec<(Time, Span)>>>,
}

impl Machine {
    fn deliver(&self) -> Option<usize> {
        let mut traffic = self.traffic.borrow_mut();
        let due = traffic.front().is_some_and(|(at, ..)| *at <= self.now.get());
        let (_, port, bytes) = due.then(|| traffic.pop_front())??;
        self.ports[port].send(&bytes);
        Some(port)
    }
}

impl Clock for Machine {
    fn now(&self) -> Time {
        self.now.set(self.now.get() + READING);
        self.now.get()
    }
}

impl Sleeper for Machine {
    fn sleep(&mut self, span: Span, ready: &mut [bool]) -> io::Result<()> {
        let next = self.traffic.borrow().front().map_or(Time::MAX, |(at, ..)| *at);
        let wakes = (self.now.get() + span).min(next.max(self.now.get()));
        let late = match self.oversleeps.borrow_mut().first_mut() {
            Some((from, late)) if *from <= wakes => std::mem::take(late),
            _ => Span::ZERO,
        };
        self.now.set(wakes + late);
        while let Some(port) = self.deliver() {
            ready[port] = true;
        }
        Ok(())
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn driver(machine: &Machine, duration: Span) -> RealTimeLoop<Machine, Machine, MemoryPort> {
    let ports = ENDS.into_iter().zip(machine.ports.clone()).collect();
    let sockets = mpsc::channel().1;
    RealTimeLoop {
        clock: machine.clone(),
        sleeper: machine.clone(),
        ports,
        duration,
        busy_wait: Span::ZERO,
        socket_samples: sockets,
    }
}

fn drive(machine: &Machine, world: &mut impl SimulatedNetwork) -> LoopResult {
    driver(machine, Span::from_secs(1)).run(world, None, &|| None, &mut |_, _| {}).unwrap()
}

/// A datagram that enters at t leaves at the time that the network determines, and is written as soon as the
/// clock reaches that time.
#[test]
fn a_datagram_is_written_when_it_is_due() {
    let machine = Machine::default();
    let sent = [(ms(10), 0, datagram(1, 100, false)), (ms(12), 1, datagram(2, 50, false))];
    machine.traffic.borrow_mut().extend(sent.clone());
    let mut wire = Wire::new(Span::from_millis(5));
    let driven = drive(&machine, &mut wire);
    assert_eq!(machine.ports[1].take_received(), [sent[0].2.clone()]);
    assert_eq!(machine.ports[0].take_received(), [sent[1].2.clone()]);
    assert_eq!((driven.ended_at, driven.end_reason), (ms(1000), EndReason::Duration));
    assert_eq!((driven.admitted.packets, driven.admitted.bytes), (2, 150));
    assert_eq!(driven.departed, driven.admitted);
    let looks = driven.lateness.max_us;
    assert!((1.0..10.0).contains(&looks), "{looks} µs late, on a machine without late wake-ups");
    // A datagram enters the network at the time at which the loop reads it.
    let entered = wire.entered[0].0;
    assert!(entered > ms(10) && entered < ms(10) + READING * 10, "{entered}");
    assert_eq!((driven.stalls, driven.lost_to_emulator), (vec![], 0));
}

/// A run ends exactly at its duration, however late the loop is; no datagram enters after that.
#[test]
fn an_emulation_ends_exactly_at_its_duration() {
    let machine = Machine::default();
    machine.traffic.borrow_mut().extend([(ms(1001), 0, datagram(1, 100, false))]);
    machine.oversleeps.borrow_mut().push((ms(1000), Span::from_millis(4)));
    let mut wire = Wire::new(Span::from_millis(5));
    let driven = drive(&machine, &mut wire);
    assert_eq!((driven.ended_at, wire.now, wire.entered.len()), (ms(1000), ms(1000), 0));
}

/// A port that always has datagrams delays neither the other ports nor the datagrams that leave.
#[test]
fn a_saturated_port_does_not_delay_other_ports() {
    let machine = Machine::default();
    let flood = (0..1000).map(|i| (ms(10), 0, datagram(i, 100, false)));
    machine.traffic.borrow_mut().extend(flood.chain([(ms(10), 1, datagram(9999, 100, false))]));
    let mut wire = Wire::new(Span::from_micros(20));
    let driven = drive(&machine, &mut wire);
    let turn = wire.entered.iter().position(|(_, node, _)| *node == ENDS[1]).unwrap();
    assert!(turn <= 16, "{turn} datagrams entered before");
    assert_eq!(driven.departed.packets, 1001);
    assert!(driven.lateness.max_us < 100.0, "{} µs", driven.lateness.max_us);
}

/// If the device of a host has no space, the packet is lost and the report counts it; other hosts are not
/// delayed.
#[test]
fn packets_refused_by_a_host_are_counted_as_lost() {
    let machine = Machine::default();
    let traffic = [(ms(10), 0, datagram(1, 100, false)), (ms(10), 1, datagram(2, 100, false))];
    machine.traffic.borrow_mut().extend(traffic);
    machine.ports[1].set_full(true);
    let driven = drive(&machine, &mut Wire::new(Span::from_millis(5)));
    assert_eq!((driven.lost_to_emulator, driven.departed.packets), (1, 1));
    assert_eq!(driven.first_loss.unwrap().0, ENDS[1]);
    assert_eq!(machine.ports[0].take_received().len(), 1);
}

/// A kernel sends multicasts to its neighbours on the link (RFC 1112 §4). The emulated device has no such
/// link, so they do not enter.
#[test]
fn multicast_datagrams_do_not_enter_the_network() {
    let machine = Machine::default();
    machine.traffic.borrow_mut().extend([(ms(10), 0, datagram(1, 100, true)), (ms(11), 0, vec![1, 2, 3])]);
    let driven = drive(&machine, &mut Wire::new(Span::from_millis(5)));
    assert_eq!((driven.ignored_datagrams, driven.admitted.packets), (2, 0));
}

/// Distribution of lateness, for use in simulations: three packets become due while the machine is stalled,
/// and leave together. Only the first of them counts with the length of the stall; the others waited behind
/// it, as packets in a queue do in a simulation.
#[test]
fn a_stall_adds_one_value_to_the_lateness_distribution() {
    let machine = Machine::default();
    let sent = (10..20).map(|at| (ms(at), 0, datagram(at as u16, 100, false)));
    machine.traffic.borrow_mut().extend(sent);
    machine.oversleeps.borrow_mut().push((ms(17), Span::from_micros(2500)));
    let driven = drive(&machine, &mut Wire::new(Span::from_millis(5)));
    let (lateness, measured) = (driven.lateness, driven.measured_delays.lateness);
    assert_eq!((lateness.count, measured.count()), (10, 10));
    assert!(lateness.max_us > 2500.0, "{lateness:?}");
    let drawn: Vec<f64> =
        (0..10).map(|i| measured.quantile((f64::from(i) + 0.5) / 10.0).secs_f64() * 1e6).collect();
    assert!(drawn[9] > 2500.0 && drawn[8] < 10.0, "{drawn:?} µs: the stall delayed one of ten");
}

/// A wake-up more than 5 ms late is recorded as a stall, with its time and length. A wake-up less late counts
/// only in the distribution of lateness.
#[test]
fn a_wake_up_more_than_5_ms_late_is_recorded_as_a_stall() {
    let machine = Machine::default();
    machine.oversleeps.borrow_mut().push((ms(300), Span::from_millis(4)));
    assert_eq!(drive(&machine, &mut Wire::new(Span::ZERO)).stalls, []);
    let machine = Machine::default();
    machine.oversleeps.borrow_mut().push((ms(300), Span::from_millis(7)));
    let stalls = drive(&machine, &mut Wire::new(Span::ZERO)).stalls;
    let [Stall { expected_at: at, delay: length }] = stalls[..] else { panic!("{stalls:?}") };
    assert!(at >= ms(300) && at < ms(301), "{at}");
    assert!(length >= Span::from_millis(7) && length < Span::from_micros(7100), "{length}");
}

/// With busy-waiting the loop does not sleep, so a timer that is 100 µs late has no effect.
#[test]
fn busy_waiting_reduces_lateness() {
    let lateness = |spin| {
        let machine = Machine::default();
        machine.traffic.borrow_mut().extend([(ms(10), 0, datagram(1, 100, false))]);
        machine.oversleeps.borrow_mut().push((ms(14), Span::from_micros(100)));
        let mut driver = RealTimeLoop { busy_wait: spin, ..driver(&machine, Span::from_secs(1)) };
        let driven =
            driver.run(&mut Wire::new(Span::from_millis(5)), None, &|| None, &mut |_, _| {}).unwrap();
        driven.lateness.max_us
    };
    let (asleep, awake) = (lateness(Span::ZERO), lateness(Span::from_micros(300)));
    assert!(asleep > 100.0 && awake < 10.0, "{asleep} µs, with spinning {awake} µs");
}

/// A request to stop takes effect within 100 ms, even if nothing else happens.
#[test]
fn an_emulation_ends_on_request() {
    let machine = Machine::default();
    let asked = || (machine.now.get() > ms(250)).then_some(EndReason::Asked);
    let mut told = Vec::new();
    let mut on_progress = |progress: &Progress, _: &Wire| told.push(progress.time);
    let mut driver = driver(&machine, Span::from_secs(100));
    let driven = driver.run(&mut Wire::new(Span::ZERO), None, &asked, &mut on_progress).unwrap();
    assert_eq!(driven.end_reason, EndReason::Asked);
    assert!(driven.ended_at > ms(250) && driven.ended_at < ms(351), "{}", driven.ended_at);
    assert_eq!(told.len(), 2);
}

/// Network in which a congestion control fails.
struct Failing(Wire);

impl SimulatedNetwork for Failing {
    fn next_event(&mut self) -> Option<Time> {
        Some(ms(20))
    }
    fn advance(&mut self, t: Time) -> Result<(), WorldStopped> {
        if t >= ms(20) { Err(WorldStopped) } else { self.0.advance(t) }
    }
    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), WorldStopped> {
        self.0.admit(t, node, datagram)
    }
    fn take_departures(&mut self, into: &mut Vec<DepartedDatagram>) {
        self.0.take_departures(into);
    }
}

#[test]
fn an_emulation_ends_with_the_simulated_world() {
    let driven = drive(&Machine::default(), &mut Failing(Wire::new(Span::ZERO)));
    assert_eq!(driven.end_reason, EndReason::World);
    assert!(driven.ended_at >= ms(20) && driven.ended_at < ms(21), "{}", driven.ended_at);
}

/// Device that has been removed.
struct Gone;

impl Port for Gone {
    fn read(&mut self, _: &mut [u8]) -> io::Result<Option<usize>> {
        Err(io::Error::from_raw_os_error(77))
    }
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_error_names_the_removed_device_that_ended_the_run() {
    let (clock, sleeper) = (Machine::default(), Machine::default());
    let mut driver = RealTimeLoop {
        clock,
        sleeper,
        ports: vec![(NodeId(7), Gone)],
        duration: Span::from_secs(1),
        busy_wait: Span::ZERO,
        socket_samples: mpsc::channel().1,
    };
    let error = driver.run(&mut Wire::new(Span::ZERO), None, &|| None, &mut |_, _| {}).unwrap_err();
    assert!(matches!(error, LoopError::Read { node: NodeId(7), .. }), "{error}");
}

/// A replay of a log is the same run: the same datagrams leave at the same nodes at the same nanoseconds, and
/// the run ends at the same time.
#[test]
fn a_logged_run_is_replayed_exactly() {
    let folder = crate::log::Folder::new("replayed");
    let path = folder.file("run.log");
    let machine = Machine::default();
    let traffic = (0..500).map(|i| {
        (ms(10) + Span::from_micros(u64::from(i) * 700), usize::from(i % 2), datagram(i, 400, false))
    });
    machine.traffic.borrow_mut().extend(traffic);
    let mut live = Wire::new(Span::from_millis(5));
    let mut log = LogWriter::create(&path, "{\"seed\":1}", false).unwrap();
    let driven = driver(&machine, Span::from_secs(1))
        .run(&mut live, Some(&mut log), &|| None, &mut |_, _| {})
        .unwrap();
    let mut again = Wire::new(Span::from_millis(5));
    let mut log = LogReader::open(&path).unwrap();
    assert_eq!(log.header(), "{\"seed\":1}");
    let replayed = replay(&mut again, &mut log).unwrap();
    assert_eq!((replayed.end_time, replayed.admitted_datagrams), (driven.ended_at, 500));
    assert_eq!((again.entered, again.now), (live.entered, live.now));
}
