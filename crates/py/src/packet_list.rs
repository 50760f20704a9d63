//! LHP's packet list for Python: what a sender believes of its segments after each ACK.

use airhop_tcp::recovery::PacketList;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Segments with their duplicates, in sending order; and those that the ACK showed to be lost.
type Row = (Vec<(u64, u32)>, Vec<u64>);

/// LHP's packet list (Yun 2009, Figure 4) after each of `acks`, pairs of the segment that is expected and the one that caused the
/// ACK. `sent[i]` are the segments that are sent before ACK `i`, and what is lost is sent again at once. A row holds the list as it is
/// when the ACK and what is sent on it are done.
#[pyfunction]
#[pyo3(signature = (sent, acks, dupthresh = 3))]
pub fn packet_list(sent: Vec<Vec<u64>>, acks: Vec<(u64, u64)>, dupthresh: u32) -> PyResult<Vec<Row>> {
    if dupthresh == 0 {
        return Err(PyValueError::new_err("dupthresh: expected 1 or more, got 0"));
    }
    if sent.len() > acks.len() + 1 {
        let (sent, acks) = (sent.len(), acks.len());
        let what = format!("sent: expected at most one list more than there are ACKs, {acks}, got {sent}");
        return Err(PyValueError::new_err(what));
    }
    let mut list = PacketList::new(dupthresh);
    let mut sent = sent.into_iter();
    let mut send = |list: &mut PacketList| {
        sent.next().into_iter().flatten().for_each(|n| list.send(n, n.saturating_add(1)));
    };
    send(&mut list);
    let rows = acks.into_iter().map(|(expected, trigger)| {
        let lost = list.on_ack(expected, trigger);
        send(&mut list);
        (list.entries().map(|e| (e.seq, e.duplicates)).collect(), lost)
    });
    Ok(rows.collect())
}
