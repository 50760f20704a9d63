//! 802.11 channels.

use super::LinkPlan;
use crate::plan::{Draws, RoutingPlan};
use crate::queues::QueuePlan;
use crate::routing::{Hop, Joins, Stations, hear};
use airhop_base::{NodeId, Span};
use airhop_radio::cell::{Access, CellPlan};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};

/// One 802.11 channel.
#[derive(Clone, Debug)]
pub struct WlanPlan {
    /// The channel itself; station `i` is node `nodes[i]`.
    pub cell: CellPlan,
    /// The node of each station.
    pub nodes: Vec<NodeId>,
    /// The interface queue of each station.
    pub queue: QueuePlan,
    /// How its stations find routes to each other.
    pub routing: RoutingPlan,
    /// What each replication draws.
    pub draws: Draws,
}

impl LinkPlan for WlanPlan {
    fn name(&self) -> &str {
        &self.cell.name
    }

    fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    fn joins(&self, _: usize) -> Joins {
        let places = self.nodes.iter().zip(&self.cell.stations).map(|(&node, (_, place))| (node, *place));
        let reach = self.cell.range.map(|range| range.receive);
        Joins::Stations(Stations { places: places.collect(), reach })
    }

    fn queue(&self) -> QueuePlan {
        self.queue
    }

    /// Those between stations that receive each other.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)> {
        let stations = || self.cell.stations.iter().enumerate();
        let pairs = stations().flat_map(move |from| stations().map(move |to| (from, to)));
        let erring = pairs.filter_map(|((i, (_, here)), (j, (_, there)))| {
            let receives = self.cell.range.is_none_or(|range| hear(*here, *there, range.receive));
            Some((i, j, self.cell.errors_between(i, j).filter(|_| i != j && receives)?))
        });
        erring.collect()
    }

    fn is_on_demand(&self) -> bool {
        self.routing != RoutingPlan::Static
    }

    fn time_taken(&self, _: Hop, bytes: u32) -> Span {
        exchange_time(&self.cell, bytes) + mean_backoff(&self.cell)
    }

    /// Its sender counts its backoff down while that of the data's sender counts down its own.
    fn time_for_answer(&self, _: Hop, bytes: u32) -> Span {
        exchange_time(&self.cell, bytes)
    }

    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span {
        let cell = &self.cell;
        // An idle medium spares a packet its backoff, the own ACK included (IEEE 802.11-2016 §10.3.4.2).
        let backoff = if cell.rules.immediate_access { Span::ZERO } else { mean_backoff(cell) };
        let wait = if before.medium() == hop.medium() {
            link_ack_time(cell) + cell.phy.difs() + backoff // it answers the frame that it just received
        } else if cell.rules.immediate_access {
            Span::ZERO
        } else {
            cell.phy.difs() + backoff
        };
        wait + frame_time(cell, bytes)
    }
}

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
