//! Independent model of the permitted flight of a sender when it sends new data. The model uses the received
//! ACKs, the sent segments and the window, but not the sender's state.

use super::path::Observer;
use airhop_base::{Notice, NoticeKind, Segment};
use airhop_tcp::seams::TransmissionCause;
use airhop_tcp::{Config, LossDetection, NoticeHandling, Preset, SackRecovery, Sender, SenderState};
use std::collections::{BTreeMap, BTreeSet};

/// Limit of the flight at the transmission of new data, by loss recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// RFC 5681 §3.1 and RFC 3042: flight ≤ cwnd, plus one segment for each of the first two duplicate ACKs.
    Tahoe,
    /// As Tahoe; in fast recovery, flight ≤ cwnd + segments that have left the network according to duplicate
    /// ACKs (RFC 5681 §3.2). An advance of SND.UNA ends fast recovery.
    Reno,
    /// outstanding ≤ cwnd; while duplicate ACKs arrive, ≤ cwnd + duplicates + DupThresh. Vegas has no
    /// recovery point: the loss of a segment sent after a reduction may reduce the window again (Brakmo and
    /// Peterson 1995, §3.1).
    Vegas,
    /// As Reno; a partial ACK deflates the window by the segments that it acknowledges, less one (RFC 6582
    /// §3.2).
    NewReno,
    /// In recovery, pipe < cwnd (ns-2.35, Sack1).
    Pipe,
    /// In recovery, outstanding minus SACKed minus lost data ≤ cwnd (RFC 6675 §5).
    Rfc6675,
    /// As RFC 6675; before recovery each duplicate with new SACK information releases a segment (RFC 4653 §3).
    Delayed,
    /// As RFC 6675; during recovery, a flight up to the pipe at the start of recovery is also permitted (rate
    /// halving, Mathis and Mahdavi 1996).
    Halving,
    /// As rate halving, also outside recovery. A segment is lost if more than DupThresh segments lie above it
    /// (ns-2.35's Agent/TCP/Linux).
    Ns2Linux,
    /// At all times, outstanding minus SACKed minus lost data ≤ cwnd, plus one probe. A segment is lost if a
    /// later transmission was delivered. In recovery the flight is at most the pipe at the start of recovery
    /// (RFC 8985, RFC 9937).
    Rack,
    /// As RFC 6675, but at all times (Yun 2009 §4).
    Esack,
    /// As ESACK, and each loss reduces the window (Yun 2009, Figure 4).
    Lhp,
}

/// Schemes that react to an ELN in an ACK.
const HEED_ELN: [&str; 7] = ["eln", "hack", "hack-fixed", "ewln", "tcp-eln", "lhp", "ll-elsn"];

/// Model of one sender.
#[derive(Debug)]
pub struct Ledger {
    law: Law,
    mss: f64,
    dupthresh: u32,
    limited_transmit: bool,
    /// True if the sender ignores some duplicate ACKs by a rule that this model does not contain.
    explains: bool,
    knows_eln: bool,
    /// First bytes of the segments named by notices; `None` if the recovery itself handles notices.
    named: Option<BTreeSet<u64>>,
    /// Number of duplicate ACKs since the last advance.
    all_dups: u32,
    /// TCP-CL: first bytes of the segments named by NAKs; `None` for other schemes.
    corrupted: Option<BTreeSet<u64>>,
    prr: bool,
    /// Lowest unacknowledged byte.
    una: u64,
    /// Outstanding segments by first byte.
    board: BTreeMap<u64, Line>,
    transmissions: u64,
    /// Order of the last transmission known to have arrived.
    newest: u64,
    undone: u64,
    /// Duplicate ACKs since the last advance; with SACK, only those with new SACK information.
    dups: u32,
    /// State of fast recovery; `None` outside fast recovery.
    recovery: Option<Recovery>,
    fast_recoveries: u64,
    timeouts: u64,
    /// End of the data outstanding at the last timeout.
    slow_until: u64,
    acked: u64,
    duplicate: bool,
    /// Segments in the network before the last ACK.
    flight_before: f64,
}

#[derive(Debug)]
struct Line {
    end: u64,
    order: u64,
    again: bool,
    sacked: bool,
    lost: bool,
}

#[derive(Debug)]
struct Recovery {
    point: u64,
    cwnd: f64,
    inflation: f64,
    pipe: i64,
    flight: f64,
}

impl Law {
    /// Returns the limit of a scheme with this configuration; `None` for a scheme that the model does not
    /// know.
    fn of(scheme: &str, config: &Config) -> Option<Self> {
        let halving = if config.stack == Preset::Ns2 { Law::Ns2Linux } else { Law::Halving };
        Some(match (scheme, config.sack_recovery) {
            ("tahoe" | "ebsn" | "rttn", _) => Law::Tahoe,
            ("vegas", _) if config.stack == Preset::Ns2 => Law::Vegas,
            ("reno" | "vegas" | "westwood" | "tcp-w" | "tcp-cc" | "eln" | "tcp-cl", _) => Law::Reno,
            ("newreno" | "snoop" | "split" | "westwood-nr" | "westwood-vt", _) => Law::NewReno,
            ("santa-cruz" | "jersey" | "new-jersey" | "jtcp" | "tibet", _) => Law::NewReno,
            ("newreno-ff" | "casablanca" | "ideal-bwe", _) => Law::NewReno,
            ("veno" | "westwood-plus", _) => halving,
            ("dcr", _) => Law::Delayed,
            ("sack" | "cubic" | "eln-cubic" | "dctcp" | "hybla" | "illinois" | "htcp" | "ledbat", by)
            | ("hack" | "hack-fixed" | "ewln" | "tcp-eln", by) => match by {
                SackRecovery::Pipe => Law::Pipe,
                SackRecovery::Rfc6675 => Law::Rfc6675,
                SackRecovery::RateHalving => halving,
            },
            ("ll-elsn", _) => Law::Esack,
            ("lhp", _) => Law::Lhp,
            ("bbr" | "bbr3" | "copa", _) => Law::Rack,
            _ => return None,
        })
    }
}

impl Ledger {
    /// True if [`Ledger::new`] knows a scheme with this configuration.
    pub fn knows(scheme: &str, config: &Config) -> bool {
        Law::of(scheme, config).is_some()
    }

    pub fn new(scheme: &str, config: &Config) -> Self {
        let law = Law::of(scheme, config).unwrap_or_else(|| panic!("no law for {scheme}"));
        let keeps_its_own =
            ["tahoe", "ebsn", "rttn", "vegas", "tcp-cl", "dcr", "ll-elsn", "lhp"].contains(&scheme);
        let law = match config.loss_detection {
            LossDetection::Rfc6675 if !keeps_its_own && law != Law::Rack => Law::Rfc6675,
            LossDetection::Rack if !keeps_its_own => Law::Rack,
            _ => law,
        };
        let told = match config.notice_reaction {
            NoticeHandling::Scheme => scheme == "eln-cubic",
            NoticeHandling::Ignored => false,
            NoticeHandling::Eln | NoticeHandling::Elsn => true,
        };
        Ledger {
            law,
            mss: f64::from(config.mss),
            dupthresh: config.dupthresh,
            limited_transmit: config.limited_transmit,
            explains: told || scheme == "hack-fixed",
            knows_eln: told
                || (HEED_ELN.contains(&scheme) && config.notice_reaction == NoticeHandling::Scheme),
            named: told.then(BTreeSet::new),
            all_dups: 0,
            corrupted: (scheme == "tcp-cl" && config.notice_reaction == NoticeHandling::Scheme)
                .then(BTreeSet::new),
            prr: config.prr && !["bbr", "bbr3", "copa"].contains(&scheme),
            una: 0,
            board: BTreeMap::new(),
            transmissions: 0,
            newest: 0,
            undone: 0,
            dups: 0,
            recovery: None,
            fast_recoveries: 0,
            timeouts: 0,
            slow_until: 0,
            acked: 0,
            duplicate: false,
            flight_before: 0.0,
        }
    }

    /// True if the ACK's SACK blocks contain new information.
    fn has_news(&self, ack: &Segment, nxt: u64) -> bool {
        let mut blocks = ack.options.sack.blocks().iter();
        blocks.any(|b| self.board.range(b.start..b.end).any(|(_, l)| l.end <= b.end.min(nxt) && !l.sacked))
    }

    /// Records SACK blocks; returns true if they contain new information.
    fn sack(&mut self, ack: &Segment, nxt: u64) -> bool {
        let mut news = false;
        for b in ack.options.sack.blocks() {
            for (_, line) in self.board.range_mut(b.start..b.end).filter(|(_, l)| l.end <= b.end.min(nxt)) {
                news |= !std::mem::replace(&mut line.sacked, true);
            }
        }
        news
    }

    /// Processes a NAK, if its segment is outstanding.
    fn nak(&mut self, seq: u64) {
        let is_outstanding =
            seq >= self.una && self.board.range(..=seq).next_back().is_some_and(|(_, line)| line.end > seq);
        if let Some(known) = self.corrupted.as_mut().filter(|_| is_outstanding) {
            known.insert(seq);
        }
    }

    /// Returns the number of segments that a sender may count as in flight: segments that are not SACKed, and
    /// with fewer than DupThresh SACKed segments sent later. With forward acknowledgement, the segment must
    /// also lie less than DupThresh segments (ns-2: one more) below the highest delivered segment, and must
    /// not have been retransmitted before a delivered segment.
    fn on_board(&self, una: u64) -> f64 {
        let arrived: Vec<u64> = self.board.values().filter(|l| l.sacked).map(|l| l.order).collect();
        let foremost = self.board.values().filter(|l| l.sacked).map(|l| l.end).max().unwrap_or(0) as f64;
        let first_sent = self.board.values().filter(|l| l.sacked && !l.again).map(|l| l.order).max();
        let is_lost = |l: &Line| match self.law {
            _ if l.lost => true,
            Law::Rack => l.order < self.newest,
            Law::Halving | Law::Ns2Linux if l.again => first_sent.is_some_and(|order| order > l.order),
            Law::Halving => l.end as f64 + f64::from(self.dupthresh) * self.mss <= foremost,
            Law::Ns2Linux => l.end as f64 + f64::from(self.dupthresh + 1) * self.mss <= foremost,
            _ => arrived.iter().filter(|&&order| order > l.order).count() >= self.dupthresh as usize,
        };
        let there = self.board.iter().filter(|(_, l)| !l.sacked && !is_lost(l));
        there.map(|(&start, l)| l.end.saturating_sub(start.max(una)) as f64).sum::<f64>() / self.mss
    }

    /// Returns the number of outstanding segments that are not SACKed, lost or not.
    fn unsacked(&self, una: u64) -> f64 {
        let there = self.board.iter().filter(|(_, l)| !l.sacked);
        there.map(|(&start, l)| l.end.saturating_sub(start.max(una)) as f64).sum::<f64>() / self.mss
    }

    /// Starts recovery in the model if the sender has started recovery.
    fn begin_recovery(&mut self, sender: &Sender) {
        let (s, begun) = (sender.state(), sender.counters().fast_recoveries);
        // Cheng and Lin 2008: the third duplicate for a corrupted segment starts recovery without a window reduction.
        let is_corrupted = self.corrupted.as_ref().is_some_and(|known| known.contains(&s.una));
        let uncut = is_corrupted && self.duplicate && self.dups == self.dupthresh && self.recovery.is_none();
        assert!(!uncut || begun == self.fast_recoveries, "a reduction for a corrupted segment");
        if begun == self.fast_recoveries && !uncut {
            return;
        }
        self.fast_recoveries = begun;
        assert!(self.recovery.is_none() || self.law == Law::Lhp, "a second reduction for one window of data");
        let outstanding = (s.sent_end - s.una) as f64 / self.mss;
        let threshold = f64::from(self.dupthresh);
        self.recovery = (!matches!(self.law, Law::Tahoe | Law::Vegas)).then_some(Recovery {
            point: s.sent_end,
            cwnd: sender.window().cwnd,
            inflation: threshold,
            pipe: (outstanding.ceil() - threshold) as i64,
            flight: self.flight_before,
        });
    }

    fn check(&self, before: &SenderState, segment: &Segment, sender: &Sender) {
        let cwnd = sender.window().cwnd;
        let len = (segment.end() - segment.seq) as f64 / self.mss;
        let outstanding = (before.nxt - before.una) as f64 / self.mss;
        let within =
            |used: f64, room: f64| assert!(used + len <= room + 1e-6, "{used} + {len} > {room}: {self:?}");
        assert!(segment.end() <= before.right_edge, "beyond the receiver's window");
        assert!(!sender.is_frozen(), "new data while frozen");
        let counted = if self.explains { self.dups.min(self.dupthresh - 1) } else { self.dups };
        let open =
            cwnd + f64::from(if self.limited_transmit && counted < self.dupthresh { counted } else { 0 });
        // The loss of a segment named by a notice is not congestion, and each duplicate ACK for it releases a
        // segment (RFC 5681 §3.2 step 4).
        let is_named = self.named.as_ref().is_some_and(|named| named.contains(&before.una));
        if is_named && outstanding + len <= cwnd + f64::from(self.all_dups) + 1e-6 {
            return;
        }
        match (self.law, &self.recovery) {
            // RFC 8985 §7.3: a probe may exceed the window, even after a reduction below the flight.
            (Law::Rack, _) if sender.last_transmission_cause() == TransmissionCause::Probe => {
                within(0.0, 1.0)
            }
            (Law::Rack, recovery) => {
                // The CEIL of RFC 9937 may release one segment early.
                let recovery = recovery.as_ref().filter(|_| self.prr);
                let flight = recovery.map_or(0.0, |r| r.flight.max(cwnd) + 1.0);
                within(self.on_board(before.una), cwnd.max(flight))
            }
            (Law::Rfc6675, Some(r)) if self.prr => {
                within(self.on_board(before.una), cwnd.max(r.flight) + 1.0)
            }
            (Law::Esack | Law::Lhp, _) | (Law::Rfc6675 | Law::Delayed, Some(_)) | (Law::Ns2Linux, None) => {
                within(self.on_board(before.una), cwnd)
            }
            // Segments marked lost by a timeout are not in flight.
            (Law::Halving | Law::Ns2Linux, Some(r)) => within(self.on_board(before.una), cwnd.max(r.flight)),
            (Law::Rfc6675 | Law::Delayed | Law::Halving, None) if before.una < self.slow_until => {
                within(self.on_board(before.una), cwnd)
            }
            (Law::Vegas, _) if self.dups == 0 => within(outstanding, cwnd),
            (Law::Vegas, _) => within(outstanding, cwnd + f64::from(self.dups + self.dupthresh)),
            (Law::Delayed, None) => within(outstanding, cwnd + f64::from(self.dups)),
            (Law::Reno | Law::NewReno, Some(r)) => within(outstanding, (r.cwnd + r.inflation).max(2.0)),
            (Law::Pipe, Some(r)) => assert!(r.pipe < cwnd as i64, "pipe {} of {cwnd}", r.pipe),
            (Law::Tahoe | Law::Reno | Law::NewReno | Law::Pipe | Law::Rfc6675 | Law::Halving, _) => {
                within(outstanding, open)
            }
        }
    }
}

impl Observer for Ledger {
    fn acknowledged(&mut self, ack: &Segment, sender: &Sender) {
        let s = sender.state();
        let is_old = ack.ack < s.una;
        // RFC 6675 §2: a reordered older ACK also counts, if its SACK blocks contain new information.
        let nxt = s.nxt.max(ack.ack); // segments that go-back-N will retransmit are not in flight
        let is_valid = ack.ack <= s.sent_end && (!is_old || self.has_news(ack, nxt));
        self.acked = if is_valid && !is_old { ack.ack - s.una } else { 0 };
        // Balakrishnan and Katz 1998, Balan et al. 2001: an ACK with an ELN is not a duplicate ACK.
        let has_eln = self.knows_eln && ack.options.eln.is_some();
        self.duplicate =
            is_valid && self.acked == 0 && s.has_outstanding_data() && !ack.flags.syn && !has_eln;
        self.una = s.una + self.acked;
        let is_repeat = self.duplicate || (is_valid && self.acked == 0 && has_eln);
        self.all_dups = if self.acked > 0 { 0 } else { self.all_dups + u32::from(is_repeat) };
        if let (Some(seq), Some(named)) = (ack.eln_seq().filter(|_| has_eln), &mut self.named) {
            named.insert(seq);
        }
        let naks = ack.options.naks.seqs().iter().filter(|_| ack.ack <= s.sent_end);
        naks.for_each(|&seq| self.nak(seq));
        if !is_valid {
            return;
        }
        self.flight_before = match self.law {
            // The whole flight counts, also for a reordered older ACK, because possibly no segment is marked
            // lost yet.
            Law::Rack | Law::Rfc6675 => self.unsacked(s.una),
            Law::Halving | Law::Ns2Linux if self.named.is_some() => self.unsacked(s.una),
            _ => self.on_board(s.una),
        };
        let gone = self.board.values().filter(|l| l.end <= self.una).map(|l| l.order).max();
        self.board.retain(|_, l| l.end > self.una);
        let news = self.sack(ack, nxt);
        let sacked = self.board.values().filter(|l| l.sacked).map(|l| l.order).max();
        self.newest = self.newest.max(gone.max(sacked).unwrap_or(0));
        let with_sack = !matches!(self.law, Law::Tahoe | Law::Reno | Law::Vegas | Law::NewReno);
        if self.acked > 0 {
            self.dups = 0;
        } else if self.duplicate && (news || !with_sack) {
            self.dups += 1;
        }
        if let Some(r) = self.recovery.as_mut().filter(|_| self.acked == 0 && has_eln && news) {
            r.pipe -= 1;
        }
    }

    fn processed(&mut self, sender: &Sender) {
        let s = sender.state();
        if let Some(r) = &mut self.recovery {
            if self.duplicate {
                r.inflation += 1.0;
                r.pipe -= 1;
            } else if self.acked > 0 {
                r.inflation -= self.acked as f64 / self.mss;
                r.inflation += if self.acked as f64 >= self.mss { 1.0 } else { 0.0 };
                r.inflation = r.inflation.max(2.0 - r.cwnd);
                r.pipe -= 2;
            }
        }
        let ends = |r: &Recovery| s.una >= r.point || (self.law == Law::Reno && self.acked > 0);
        let undone = sender.counters().undone_reductions;
        if self.recovery.as_ref().is_some_and(ends) || undone > self.undone {
            self.recovery = None;
        }
        self.undone = undone;
        self.begin_recovery(sender);
    }

    fn expired(&mut self, sender: &Sender) {
        if self.law == Law::Rack {
            self.flight_before = self.unsacked(sender.state().una); // segments were sent since the last ACK
        }
        self.begin_recovery(sender); // the timers of DCR and RACK
        if sender.counters().timeouts > self.timeouts {
            self.timeouts = sender.counters().timeouts;
            self.slow_until = sender.state().sent_end;
            self.recovery = None;
            self.dups = 0;
            self.corrupted.iter_mut().for_each(BTreeSet::clear);
            if matches!(self.law, Law::Pipe | Law::Lhp) {
                return self.board.clear(); // ns-2 discards SACK information, LHP its packet list
            }
            self.board.values_mut().for_each(|l| l.lost = true);
            if let Some(mut first) = self.board.first_entry() {
                first.get_mut().sacked = false; // RFC 2018 §8
            }
        }
    }

    fn noticed(&mut self, n: &Notice) {
        if n.kind == NoticeKind::Nak {
            self.nak(n.seq);
        }
        if let Some(named) = self.named.as_mut().filter(|_| n.kind.is_segment_specific()) {
            named.insert(n.seq);
        }
        if n.kind == NoticeKind::Eln
            && (!matches!(self.law, Law::Halving | Law::Ns2Linux) || self.named.is_some()) // without notices, these senders ignore ELNs
            && let Some(line) = self.board.get_mut(&n.seq)
        {
            line.lost = true; // until its retransmission
        }
    }

    fn sent(&mut self, before: &SenderState, segment: &Segment, sender: &Sender) {
        if !segment.has_data_or_fin() {
            return;
        }
        let is_new = segment.seq >= before.sent_end;
        if is_new {
            self.check(before, segment, sender);
        }
        // After go-back-N, segment boundaries may differ: this segment replaces the segments that start
        // within it.
        if let Some((_, line)) = self.board.range_mut(..segment.seq).next_back() {
            line.end = line.end.min(segment.seq);
        }
        let starts = self.board.range(segment.seq + 1..segment.end()).map(|(&start, _)| start);
        for start in starts.collect::<Vec<u64>>() {
            if let Some(line) = self.board.remove(&start).filter(|line| line.end > segment.end()) {
                self.board.insert(segment.end(), line);
            }
        }
        self.transmissions += 1;
        let order = self.transmissions;
        let line = self.board.entry(segment.seq).or_insert(Line {
            end: 0,
            order,
            again: !is_new,
            sacked: false,
            lost: false,
        });
        line.again |= !is_new;
        (line.end, line.order, line.lost) = (segment.end(), order, false);
        // The fast retransmission replaces the lost segment, which the pipe still counts. A retransmission
        // after a notice also replaces it.
        let replaces =
            matches!(sender.last_transmission_cause(), TransmissionCause::Fast | TransmissionCause::Notice);
        if let Some(r) = self.recovery.as_mut().filter(|_| !replaces) {
            r.pipe += 1;
        }
    }
}
