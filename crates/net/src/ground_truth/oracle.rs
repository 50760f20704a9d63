//! The oracle knows of a path what only a simulator can: how long everything takes when nothing goes wrong, and what
//! share of the bottleneck is a flow's.
//!
//! A wired link carries its rate (the mean, if it is that of a recorded link; the lowest, if it changes). A radio link does, too, less
//! the overhead of its frames and the link ACKs that share its transmitters, if its window is large enough. A cell carries, of one bulk TCP flow whose receiver acknowledges every b-th segment,
//! ```text
//!                              b × MSS
//! C = ──────────────────────────────────────────────────────────     backoff = slot × CWmin / 2
//!      b (DIFS + data + SIFS + ACK + backoff) + DIFS + TCP ACK + SIFS + ACK
//! ```
//! (with RTS, CTS and two SIFS before each frame if they are used). Both stations always have a frame to send and count their
//! backoffs down at the same time, so the one with more frames to send waits for its own only. Collisions and channel errors are
//! left out: a cell in which two stations meet at random carries a few per cent less.

use crate::plan::{AppPlan, FlowPlan, Plan, Transport};
use crate::routing::{Graph, Hop, Routes};
use crate::services::Kind;
use airhop_base::{
    Arrival, HEADER_BYTES, NodeId, RareOptions, Rate, Segment, Span, Time, Timestamps, UDP_HEADER_BYTES,
};
use airhop_radio::arq::{ArqPlan, Group};
use airhop_radio::cell::{Access, CellPlan};
use airhop_radio::link::{End, RadioPlan};
use airhop_radio::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use airhop_tcp::seams::Truth;
use airhop_tcp::{Config, ReceiverFeatures};

/// The mean backoff before a frame's first attempt: uniform in {0, …, CWmin} slots (IEEE 802.11-2016 §10.3.3).
pub(crate) fn mean_backoff(cell: &CellPlan) -> Span {
    cell.phy.slot * u64::from(cell.phy.cw_min) / 2
}

/// From the end of the backoff of an IP packet of `bytes` until it is received: RTS, CTS and two SIFS if they are used, and the
/// data frame.
fn frame_time(cell: &CellPlan, bytes: u32) -> Span {
    let control = |bytes| cell.phy.airtime(bytes, cell.control_rate) + cell.phy.sifs;
    let reservation = match cell.access {
        Access::Basic => Span::ZERO,
        Access::RtsCts => control(RTS_BYTES) + control(CTS_BYTES),
    };
    reservation + cell.phy.airtime(bytes + cell.overhead, cell.rate)
}

/// From when a frame is received until its link ACK is: SIFS, ACK.
fn link_ack_time(cell: &CellPlan) -> Span {
    cell.phy.sifs + cell.phy.airtime(ACK_BYTES, cell.control_rate)
}

/// How long a cell is taken by an IP packet of `bytes`, its backoff left out: DIFS, the frame, the link ACK.
pub(crate) fn exchange_time(cell: &CellPlan, bytes: u32) -> Span {
    cell.phy.difs() + frame_time(cell, bytes) + link_ack_time(cell)
}

/// How long a radio link's transmitter is taken by an IP packet of `bytes`.
fn radio_frame_time(link: &RadioPlan, bytes: u32) -> Span {
    link.pace.time_for(bytes + link.overhead)
}

/// The same for the link ACK that answers data from `end`; nothing if there is none.
fn radio_ack_time(link: &RadioPlan, end: End) -> Span {
    link.arq[usize::from(end)].ack_bytes().map_or(Span::ZERO, |bytes| link.pace.time_for(bytes))
}

/// How long a radio link's transmitter at `end` is taken by an IP packet of `bytes`, if nothing is lost; or how often one can go, if
/// the window of the link's recovery is a tighter limit: N frames in the time of one, its ACK, and the way there and back.
fn pace(link: &RadioPlan, end: End, bytes: u32) -> Span {
    let frame = radio_frame_time(link, bytes);
    let answer = link.delay * 2 + radio_ack_time(link, end);
    match link.arq[usize::from(end)] {
        ArqPlan::None => frame,
        ArqPlan::GoBackN { group: Group::Blocks, rules } => frame + answer / u64::from(rules.window),
        ArqPlan::GoBackN { group: Group::Sliding, rules } | ArqPlan::SelectiveRepeat { rules, .. } => {
            frame.max((frame + answer) / u64::from(rules.window))
        }
    }
}

/// The truth for each flow that is to be told, in the order of the plan.
pub(crate) fn truths(plan: &Plan, graph: &Graph, routes: &Routes) -> Vec<Option<Truth>> {
    if !plan.flows.iter().any(asks_oracle) {
        return vec![None; plan.flows.len()];
    }
    let network = Network::new(plan, graph, routes);
    plan.flows.iter().map(|f| asks_oracle(f).then(|| network.truth(f)).flatten()).collect()
}

fn asks_oracle(flow: &FlowPlan) -> bool {
    flow.services.iter().any(|service| matches!(service.kind, Kind::Oracle))
}

/// Who shares what.
struct Network<'a> {
    plan: &'a Plan,
    graph: &'a Graph,
    routes: &'a Routes,
    /// By direction of wired links.
    links: Vec<Load>,
    cells: Vec<Load>,
    /// By link, then by sending end.
    radios: Vec<[Load; 2]>,
}

/// What crosses a link.
#[derive(Clone, Copy, Default)]
struct Load {
    /// The share of its time that datagrams take, in the mean.
    datagrams: f64,
    /// TCP flows whose data cross it.
    connections: u32,
}

impl Load {
    /// The share of the link's time that is left for each connection.
    fn share(&self) -> f64 {
        (1.0 - self.datagrams).max(0.0) / f64::from(self.connections.max(1))
    }
}

impl<'a> Network<'a> {
    fn new(plan: &'a Plan, graph: &'a Graph, routes: &'a Routes) -> Self {
        let (links, cells) =
            (vec![Load::default(); 2 * plan.wired.len()], vec![Load::default(); plan.wlans.len()]);
        let radios = vec![[Load::default(); 2]; plan.radios.len()];
        let mut network = Network { plan, graph, routes, links, cells, radios };
        plan.flows.iter().for_each(|flow| network.add(flow));
        network
    }

    fn path(&self, from: NodeId, to: NodeId) -> Vec<Hop> {
        let path = self.routes.path(self.graph, from, to);
        path.into_iter().map(|(_, hop)| hop).collect()
    }

    fn cell(&self, index: u16) -> &'a CellPlan {
        &self.plan.wlans[usize::from(index)].cell
    }

    fn radio(&self, index: u16) -> &'a RadioPlan {
        &self.plan.radios[usize::from(index)].link
    }

    fn add(&mut self, flow: &FlowPlan) {
        let path = self.path(flow.from, flow.to);
        for (i, &hop) in path.iter().enumerate() {
            match flow.transport {
                Transport::Udp { bytes } => {
                    let per_second = mean_rate(&flow.app) / (8.0 * f64::from(bytes));
                    let taken = self.time_taken(hop, bytes + UDP_HEADER_BYTES);
                    self.load(hop).datagrams += per_second * taken.secs_f64();
                    if let Hop::Radio { link, end } = hop {
                        let acks = per_second * radio_ack_time(self.radio(link), end).secs_f64();
                        self.load(Hop::Radio { link, end: 1 - end }).datagrams += acks;
                    }
                }
                // A connection that crosses a cell twice is one that takes more of its time.
                Transport::Tcp { .. } if path[..i].iter().any(|&earlier| shares_medium(earlier, hop)) => {}
                Transport::Tcp { .. } => self.load(hop).connections += 1,
            }
        }
    }

    fn load(&mut self, hop: Hop) -> &mut Load {
        match hop {
            Hop::None | Hop::OnDemand { .. } => unreachable!("a path is made of hops"),
            Hop::Link(i) => &mut self.links[usize::from(i)],
            Hop::Air { cell, .. } => &mut self.cells[usize::from(cell)],
            Hop::Radio { link, end } => &mut self.radios[usize::from(link)][usize::from(end)],
        }
    }

    /// How long a packet of `bytes` takes a link for itself.
    fn time_taken(&self, hop: Hop, bytes: u32) -> Span {
        match hop {
            Hop::None | Hop::OnDemand { .. } => Span::ZERO,
            Hop::Link(i) => self.plan.wired[usize::from(i / 2)].pace.time_for(bytes),
            Hop::Air { cell, .. } => exchange_time(self.cell(cell), bytes) + mean_backoff(self.cell(cell)),
            Hop::Radio { link, end } => pace(self.radio(link), end, bytes),
        }
    }

    fn truth(&self, flow: &FlowPlan) -> Option<Truth> {
        let Transport::Tcp { scheme, config, .. } = &flow.transport else { return None };
        let sizes = Sizes::new(config, &scheme.features);
        let per_ack = config.delayed_ack.map_or(1, |delay| u64::from(delay.segments));
        let mut in_cells = vec![Span::ZERO; self.cells.len()];
        let mut payload_rate = f64::INFINITY;
        let payload = 8.0 * f64::from(config.mss);
        for hop in self.path(flow.from, flow.to) {
            let data = self.time_taken(hop, sizes.data);
            match hop {
                Hop::None | Hop::OnDemand { .. } => return None,
                Hop::Link(i) => {
                    let share = self.links[usize::from(i)].share();
                    payload_rate = payload_rate.min(share * payload / data.secs_f64());
                }
                Hop::Radio { link, end } => {
                    let link_acks = radio_ack_time(self.radio(link), 1 - end) / per_ack;
                    let share = self.radios[usize::from(link)][usize::from(end)].share();
                    payload_rate = payload_rate.min(share * payload / (data + link_acks).secs_f64());
                }
                Hop::Air { cell, .. } => {
                    in_cells[usize::from(cell)] = in_cells[usize::from(cell)]
                        + data
                        + exchange_time(self.cell(cell), sizes.ack) / per_ack;
                }
            }
        }
        for (load, taken) in self.cells.iter().zip(in_cells).filter(|(_, taken)| *taken > Span::ZERO) {
            payload_rate = payload_rate.min(load.share() * payload / taken.secs_f64());
        }
        Some(Truth { rate: Rate::computed(payload_rate), rtt: self.round_trip(flow, &sizes) })
    }

    /// The round trip of a full segment, which goes out when an ACK has come, and of its own ACK, when all queues are empty and
    /// nobody else sends; with mean backoffs.
    fn round_trip(&self, flow: &FlowPlan, sizes: &Sizes) -> Span {
        let (there, back) = (self.path(flow.from, flow.to), self.path(flow.to, flow.from));
        let first = back.last().copied().unwrap_or(Hop::None);
        let crossings = there.into_iter().map(|hop| (hop, sizes.data));
        let crossings = crossings.chain(back.into_iter().map(|hop| (hop, sizes.ack)));
        let step = |(total, before), (hop, bytes)| (total + self.crossing(before, hop, bytes), hop);
        crossings.fold((Span::ZERO, first), step).0
    }

    /// From when a packet of `bytes` that came by `before` is to go by `hop` until it is at the other end.
    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span {
        match hop {
            Hop::None | Hop::OnDemand { .. } => Span::ZERO,
            Hop::Link(i) => {
                let wire = &self.plan.wired[usize::from(i / 2)];
                wire.pace.time_for(bytes) + wire.delay
            }
            Hop::Radio { link: index, end } => {
                let link = self.radio(index);
                let wait = match before {
                    // The link ACK of the frame that it answers goes first.
                    Hop::Radio { link: same, .. } if same == index => radio_ack_time(link, 1 - end),
                    _ => Span::ZERO,
                };
                wait + radio_frame_time(link, bytes) + link.delay
            }
            Hop::Air { cell: index, .. } => {
                let cell = self.cell(index);
                // An idle medium spares a packet its backoff, the own ACK included (IEEE 802.11-2016 §10.3.4.2).
                let backoff = if cell.rules.immediate_access { Span::ZERO } else { mean_backoff(cell) };
                let wait = if shares_medium(before, hop) {
                    link_ack_time(cell) + cell.phy.difs() + backoff // it answers the frame that it just received
                } else if cell.rules.immediate_access {
                    Span::ZERO
                } else {
                    cell.phy.difs() + backoff
                };
                wait + frame_time(cell, bytes)
            }
        }
    }
}

/// True if both hops are transmissions in the same cell.
fn shares_medium(a: Hop, b: Hop) -> bool {
    matches!((a, b), (Hop::Air { cell: a, .. }, Hop::Air { cell: b, .. }) if a == b)
}

/// IP datagrams of a connection, bytes.
struct Sizes {
    data: u32,
    ack: u32,
}

impl Sizes {
    fn new(config: &Config, features: &ReceiverFeatures) -> Self {
        let timestamps = config.timestamps.then_some(Timestamps { value: 0, echo: 0 });
        let blank = || Segment { timestamps, ..Segment::default() };
        let contention = features.contention.then_some(Span::ZERO);
        let data = Segment { header_check: features.header_check, ..blank() };
        let data = data.with(RareOptions { contention, ..RareOptions::NONE });
        let arrival = features.arrival.then_some(Arrival { seq: 0, at: Time::ZERO });
        let ack = blank().with(RareOptions { arrival, ..RareOptions::NONE });
        Sizes {
            data: HEADER_BYTES + data.option_bytes() + config.mss,
            ack: HEADER_BYTES + ack.option_bytes(),
        }
    }
}

/// The mean payload rate of a source of datagrams, bits per second.
fn mean_rate(app: &AppPlan) -> f64 {
    match *app {
        AppPlan::Bulk | AppPlan::Transfer { .. } => 0.0,
        AppPlan::Cbr { rate } => rate.bps() as f64,
        AppPlan::ParetoOnOff { peak, on, off, .. } => {
            peak.bps() as f64 * on.secs_f64() / (on + off).secs_f64()
        }
    }
}
