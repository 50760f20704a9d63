//! Plans of 802.11 channels.

use super::LinkPlan;
use crate::plan::{Draws, RoutingPlan};
use crate::queues::QueuePlan;
use crate::routing::{Hop, Joins, Stations, hear};
use airhop_base::{NodeId, Span};
use airhop_radio::cell::CellPlan;
use airhop_radio::errors::ErrorPlan;

/// Plan of one 802.11 channel.
#[derive(Clone, Debug)]
pub struct WlanPlan {
    /// Channel; its station `i` is node `nodes[i]`.
    pub cell: CellPlan,
    /// Node of each station.
    pub nodes: Vec<NodeId>,
    /// Interface queue of each station.
    pub queue: QueuePlan,
    /// Routing between the stations.
    pub routing: RoutingPlan,
    /// Properties that each replication draws.
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

    fn queue(&self, _: Hop) -> QueuePlan {
        self.queue
    }

    /// Returns the error models between stations that receive each other.
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
        self.cell.packet_time(bytes)
    }

    /// Returns the time without a backoff, because the sender of the answer counts down its backoff at the
    /// same time as the sender of the data.
    fn time_for_answer(&self, _: Hop, bytes: u32) -> Span {
        self.cell.share_of_exchange(bytes)
    }

    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span {
        let cell = &self.cell;
        // On an idle medium a packet needs no backoff, and the station's own ACK does not count as busy (IEEE
        // 802.11-2016 §10.3.4.2).
        let backoff = if cell.rules.immediate_access { Span::ZERO } else { cell.mean_backoff() };
        let wait = if before.medium() == hop.medium() {
            // the packet is sent in response to the frame just received
            cell.link_ack_time() + cell.ifs() + backoff
        } else if cell.rules.immediate_access {
            Span::ZERO
        } else {
            cell.ifs() + backoff
        };
        wait + cell.frame_time(bytes)
    }
}
