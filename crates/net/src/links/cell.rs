//! Plans of 802.11 channels.

use super::LinkPlan;
use crate::plan::{RandomDraws, RoutingPlan};
use crate::queues::QueuePlan;
use crate::routing::{CellStations, Hop, LinkNodes, are_in_range};
use airhop_base::{NodeId, Span};
use airhop_radio::cell::CellPlan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::{Band, Coding, Phy, PpduFormat, TxMode, TxSettings};
use airhop_trace::CellChannel;
use airhop_wire::wifi;

/// Plan of one 802.11 channel.
#[derive(Clone, Debug)]
pub struct WlanPlan {
    /// Channel; its station `i` is node `nodes[i]`.
    pub cell: CellPlan,
    /// Node of each station, by station number.
    pub nodes: Vec<NodeId>,
    /// Interface queue of each station.
    pub queue: QueuePlan,
    /// Routing between the stations.
    pub routing: RoutingPlan,
    /// Properties that are drawn at random for each replication.
    pub draws: RandomDraws,
}

impl WlanPlan {
    /// Returns the description of the channel in a packet capture.
    pub(crate) fn capture_channel(&self) -> CellChannel {
        let CellPlan { index, name, ht, phy, .. } = &self.cell;
        let band = match (ht.as_ref().map(|ht| ht.mode.settings().band), phy.coding) {
            (Some(Band::Ghz5), _) => wifi::RadiotapChannel::Ofdm5,
            (Some(Band::Ghz2_4), _) | (None, Coding::Ofdm { .. }) => wifi::RadiotapChannel::Ofdm2_4,
            (None, Coding::Serial) if phy.name == Phy::FHSS.name => wifi::RadiotapChannel::Fhss,
            (None, Coding::Serial) => wifi::RadiotapChannel::Dsss,
        };
        let data = match ht {
            Some(ht) => (ppdu_format(&ht.mode), ht.mode.preamble()),
            None => (wifi::RadiotapPpdu::Legacy(self.cell.data_rate), phy.plcp_duration),
        };
        CellChannel {
            cell: *index,
            name: name.clone(),
            stations: self.nodes.clone(),
            band,
            data_ppdu: data,
            preamble: phy.plcp_duration,
            control_rate: self.cell.control_rate,
            cts_rate: self.cell.cts_rate(),
            response_rate: self.cell.response_rate(),
        }
    }
}

/// Returns the PPDU format of a mode, as packet captures describe it.
fn ppdu_format(mode: &TxMode) -> wifi::RadiotapPpdu {
    let &TxSettings { format, mcs, streams, width_mhz, guard_interval: guard, .. } = mode.settings();
    let captured = wifi::PpduMode { mcs, streams, width_mhz, guard, is_ldpc: mode.encoder_count() == 0 };
    match format {
        PpduFormat::Ht => wifi::RadiotapPpdu::Ht(captured),
        PpduFormat::Vht => wifi::RadiotapPpdu::Vht(captured),
        PpduFormat::He => wifi::RadiotapPpdu::He(captured),
    }
}

impl LinkPlan for WlanPlan {
    fn name(&self) -> &str {
        &self.cell.name
    }

    fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    fn link_nodes(&self, _: usize) -> LinkNodes {
        let places = self.nodes.iter().zip(&self.cell.stations).map(|(&node, (_, place))| (node, *place));
        let reach = self.cell.range.map(|range| range.receive_metres);
        LinkNodes::Stations(CellStations { positions: places.collect(), receive_range_m: reach })
    }

    fn queue(&self, _: Hop) -> QueuePlan {
        self.queue
    }

    /// Returns the error models between stations that receive each other.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)> {
        let stations = || self.cell.stations.iter().enumerate();
        let pairs = stations().flat_map(move |from| stations().map(move |to| (from, to)));
        let erring = pairs.filter_map(|((i, (_, here)), (j, (_, there)))| {
            let receives =
                self.cell.range.is_none_or(|range| are_in_range(*here, *there, range.receive_metres));
            Some((i, j, self.cell.errors_between(i, j).filter(|_| i != j && receives)?))
        });
        erring.collect()
    }

    fn is_on_demand(&self) -> bool {
        self.routing != RoutingPlan::Static
    }

    fn medium_time(&self, _: Hop, bytes: u32) -> Span {
        self.cell.saturated_packet_time(bytes)
    }

    /// Returns the time without a backoff. The answering node counts down its backoff at the same time as the
    /// sender of the data.
    fn answer_medium_time(&self, _: Hop, bytes: u32) -> Span {
        self.cell.exchange_time_per_packet(bytes)
    }

    fn crossing_time(&self, before: Hop, hop: Hop, bytes: u32) -> Span {
        let cell = &self.cell;
        // With immediate access a packet on an idle medium needs no backoff. The station's own ACK does not
        // count as a busy medium (IEEE 802.11-2016 §10.3.4.2).
        let backoff = if cell.rules.immediate_access { Span::ZERO } else { cell.mean_backoff() };
        let wait = if before.medium() == hop.medium() {
            // The station sends the packet in response to the frame that it has just received.
            cell.link_ack_time() + cell.ifs() + backoff
        } else if cell.rules.immediate_access {
            Span::ZERO
        } else {
            cell.ifs() + backoff
        };
        wait + cell.packet_delivery_time(bytes)
    }
}
