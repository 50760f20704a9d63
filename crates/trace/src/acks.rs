//! The table `acks`.

use crate::columns::{Column, Table};
use airhop_base::Time;

/// ACK processed by a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRow {
    /// Acknowledgement number. All bytes below are acknowledged.
    pub ack: u64,
    /// Bytes in the ACK's SACK blocks.
    pub sacked_bytes: u32,
    /// True if the ACK acknowledges no new data.
    pub duplicate: bool,
    /// True if the ACK echoes an ECN mark (RFC 3168 §6.1.3).
    pub ece: bool,
}

/// `acks`: each ACK processed by a sender.
#[derive(Default)]
pub(crate) struct AckTableBuilder {
    time: Vec<f64>,
    flow: Vec<u32>,
    ack: Vec<u64>,
    sacked_bytes: Vec<u32>,
    duplicate: Vec<bool>,
    ece: Vec<bool>,
}

impl AckTableBuilder {
    pub fn push(&mut self, t: Time, flow: u32, acked: AckRow) {
        self.time.push(t.secs_f64());
        self.flow.push(flow);
        self.ack.push(acked.ack);
        self.sacked_bytes.push(acked.sacked_bytes);
        self.duplicate.push(acked.duplicate);
        self.ece.push(acked.ece);
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("flow", Column::Category(self.flow, flows.to_vec())),
            ("ack", Column::U64(self.ack)),
            ("sacked_bytes", Column::U32(self.sacked_bytes)),
            ("duplicate", Column::Bool(self.duplicate)),
            ("ece", Column::Bool(self.ece)),
        ];
        Table { name: "acks", columns }
    }
}
