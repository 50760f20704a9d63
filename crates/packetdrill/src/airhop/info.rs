//! Members of `tcp_info` computed from Airhop's sender and receiver, with the names and units of
//! `linux/tcp.h`.

use super::connection::Connection;
use airhop_base::{Span, Time};
use airhop_tcp::scoreboard::OutstandingSegment;
use airhop_tcp::seams::RepairKind;

/// `TCP_INFINITE_SSTHRESH`.
const INFINITE_SSTHRESH: f64 = 2_147_483_647.0;

/// Returns the present value of a member; `None` if Airhop has no such value.
pub(super) fn tcp_info_value(connection: &Connection, name: &str, now: Time) -> Option<f64> {
    let (sender, agreed) = (connection.sender(), connection.negotiated_options());
    let (state, window, counters) = (sender.state(), sender.window(), sender.counters());
    let board = &state.scoreboard;
    let count =
        |holds: &dyn Fn(&OutstandingSegment) -> bool| board.iter().filter(|sent| holds(sent)).count() as f64;
    // A sum of many small numbers may be slightly below an integer.
    let whole = |segments: f64| (segments + 1e-6).floor();
    Some(match name {
        // After a mark, Linux' window decreases with the flight. Airhop's window is ssthresh immediately, and
        // the flight decreases later.
        "tcpi_snd_cwnd" if sender.is_in_cwr() => return None,
        "tcpi_snd_cwnd" => whole(window.cwnd),
        "tcpi_snd_ssthresh" if window.ssthresh.is_infinite() => INFINITE_SSTHRESH,
        "tcpi_snd_ssthresh" => whole(window.ssthresh),
        "tcpi_ca_state" => match sender.repair_kind() {
            RepairKind::Loss => 3.0,
            RepairKind::Timeout => 4.0,
            RepairKind::Nothing if sender.is_in_cwr() => 2.0,
            RepairKind::Nothing => f64::from(u8::from(board.sacked_bytes() > 0 || state.dupacks > 0)),
        },
        "tcpi_unacked" => board.len() as f64,
        "tcpi_sacked" => count(&|sent| sent.sacked),
        // As in Linux, a lost segment counts as lost until it has arrived, even if it was retransmitted.
        "tcpi_lost" => count(&|sent| !sent.sacked && (sent.lost || sent.retransmitted)),
        "tcpi_retrans" => count(&|sent| !sent.sacked && sent.retransmitted && !sent.lost),
        "tcpi_total_retrans" => counters.retransmissions as f64,
        "tcpi_data_segs_out" => counters.sent_segments as f64,
        "tcpi_total_rto" => counters.timeouts as f64,
        "tcpi_rto" => micros(sender.rto(now)),
        "tcpi_rtt" => sender.srtt().map_or(0.0, micros),
        "tcpi_min_rtt" => board.min_rtt().map_or(0.0, micros),
        "tcpi_snd_mss" => f64::from(connection.config().mss),
        "tcpi_notsent_bytes" => state.supplied_end.saturating_sub(state.sent_end.max(1)) as f64,
        "tcpi_bytes_acked" => state.una.saturating_sub(1) as f64,
        "tcpi_bytes_received" => connection.receiver().delivered_bytes() as f64,
        "tcpi_snd_wnd" => state.right_edge.saturating_sub(state.una) as f64,
        "tcpi_options" => {
            let bits = [(agreed.timestamps, 1), (agreed.sack, 2), (agreed.ecn, 8)];
            bits.iter().filter(|(set, _)| *set).map(|(_, bit)| f64::from(*bit)).sum()
        }
        "tcpi_state" => return connection.fin_state.connection_state(sender),
        _ => return None,
    })
}

fn micros(span: Span) -> f64 {
    (span.nanos() / 1000) as f64
}
