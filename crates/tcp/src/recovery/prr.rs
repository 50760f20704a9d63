/// Proportional rate reduction (RFC 9937): limit of the flight during fast recovery. The flight decreases
/// evenly as data is delivered, and equals the new window at the end.
///
/// The caller passes the data delivered by each ACK, and the flight. The fast retransmit is sent even if this
/// limit forbids it (§6.2: "force a fast retransmit upon entering recovery").
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    mss: u64,
    /// Flight at the end of recovery in bytes: ssthresh.
    target: u64,
    /// RecoverFS: flight at the start of recovery, in bytes.
    flight: u64,
    /// prr_delivered, in bytes.
    delivered: u64,
    /// prr_out, in bytes.
    out: u64,
    /// Limit of the flight after the last ACK, in bytes.
    limit: u64,
}

impl Prr {
    /// Creates the state at the start of recovery (§6.1). `flight` is the number of bytes outstanding and not
    /// SACKed before this ACK. `target` is the flight at the end of recovery, in bytes.
    pub fn new(mss: u64, flight: u64, target: u64) -> Self {
        Prr { mss, target, flight: flight.max(mss), delivered: 0, out: 0, limit: 0 }
    }

    /// Processes an ACK that delivers `delivered` bytes and leaves `in_flight` bytes in flight. `is_safe` is
    /// true if the ACK advances cumulatively and reports no further loss (§5, SafeACK). Returns the permitted
    /// flight in bytes.
    pub fn on_ack(&mut self, delivered: u64, in_flight: u64, is_safe: bool) -> u64 {
        self.delivered += delivered;
        // §6.2
        let count = if in_flight > self.target {
            // The RFC's CEIL is rounded up to whole segments, because a fraction of a segment cannot be sent.
            let share = (u128::from(self.delivered) * u128::from(self.target)).div_ceil(self.flight.into());
            (share as u64).div_ceil(self.mss).saturating_mul(self.mss).saturating_sub(self.out)
        } else {
            let progress = self.delivered.saturating_sub(self.out).max(delivered);
            let limit = progress + if is_safe { self.mss } else { 0 };
            limit.min(self.target - in_flight)
        };
        self.limit = in_flight + count;
        self.limit
    }

    /// Permits one segment if none was sent in this recovery (Linux, tcp_cwnd_reduction()).
    pub fn permit_one_segment(&mut self, in_flight: u64) {
        if self.out == 0 {
            self.limit = self.limit.max(in_flight + self.mss);
        }
    }

    /// Lowers the target flight to at most `target` bytes.
    pub fn lower_target_to(&mut self, target: u64) {
        self.target = self.target.min(target);
    }

    /// Counts `bytes` sent bytes.
    pub fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// True if `len` more bytes are permitted in addition to `in_flight`.
    pub fn has_room(&self, len: u64, in_flight: u64) -> bool {
        in_flight + len <= self.limit
    }
}
