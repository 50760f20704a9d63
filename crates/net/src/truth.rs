//! How long things take when nothing goes wrong: what a link, a path, a cell can carry.

use airhop_base::Span;
use airhop_radio::cell::{Access, CellPlan};
use airhop_radio::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};

/// The mean backoff before a frame's first attempt: uniform in {0, …, CWmin} slots (IEEE 802.11-2016 §10.3.3).
pub(crate) fn mean_backoff(cell: &CellPlan) -> Span {
    Span::from_nanos(cell.phy.slot.nanos() * u64::from(cell.phy.cw_min) / 2)
}

/// From the end of the backoff of an IP packet of `bytes` until it is received: RTS, CTS and two SIFS if they are used, and the
/// data frame.
pub(crate) fn frame_time(cell: &CellPlan, bytes: u32) -> Span {
    let control = |bytes| cell.phy.airtime(bytes, cell.control_rate) + cell.phy.sifs;
    let reservation = match cell.access {
        Access::Basic => Span::ZERO,
        Access::RtsCts => control(RTS_BYTES) + control(CTS_BYTES),
    };
    reservation + cell.phy.airtime(bytes + cell.overhead, cell.rate)
}

/// From when the frame is received until its link ACK is: SIFS, ACK.
pub(crate) fn link_ack_time(cell: &CellPlan) -> Span {
    cell.phy.sifs + cell.phy.airtime(ACK_BYTES, cell.control_rate)
}

/// How long a cell is taken by an IP packet of `bytes`, its backoff left out: DIFS, the frame, the link ACK.
pub(crate) fn exchange_time(cell: &CellPlan, bytes: u32) -> Span {
    cell.phy.difs() + frame_time(cell, bytes) + link_ack_time(cell)
}
