//! Flags of an ACK for `cong_control`, as computed by Linux' tcp_ack() (`FLAG_*` of net/ipv4/tcp_input.c,
//! with the kernel's values).

use super::sock::Sock;
use crate::scoreboard::find_dsack;
use crate::seams::Ack;
use crate::sender_state::SenderState;

const WIN_UPDATE: u32 = 0x02;
const DATA_ACKED: u32 = 0x04;
const RETRANS_DATA_ACKED: u32 = 0x08;
const DATA_SACKED: u32 = 0x20;
const ECE: u32 = 0x40;
const LOST_RETRANS: u32 = 0x80;
const SLOWPATH: u32 = 0x100;
const ORIG_SACK_ACKED: u32 = 0x200;
const SND_UNA_ADVANCED: u32 = 0x400;
const DSACKING_ACK: u32 = 0x800;
const SET_XMIT_TIMER: u32 = 0x1000;
const UPDATE_TS_RECENT: u32 = 0x4000;
const ACK_MAYBE_DELAYED: u32 = 0x1_0000;

/// Returns the flags of an ACK on an established connection. Must be called after the scoreboard has
/// processed the ACK and before loss detection. `high_seq` is the first unsent byte at the last state change.
///
/// Some flags are never set. FLAG_DATA: the receiver sends no data. FLAG_SYN_ACKED: the handshake is over.
/// FLAG_SACK_RENEGING and FLAG_NO_CHALLENGE_ACK: receivers neither renege nor challenge. FLAG_DSACK_TLP and
/// FLAG_TS_PROGRESS: not simulated.
pub(super) fn ack_flags(a: &Ack, s: &SenderState, sk: &Sock, high_seq: u64) -> u32 {
    let set = |flag: u32, is_so: bool| if is_so { flag } else { 0 };
    let advances = a.acked_bytes > 0;
    let arrived = || s.scoreboard.newly_arrived().iter().filter(|e| !e.arrived);
    let sacked = s.scoreboard.newly_sacked_bytes() > 0;
    // Linux' header prediction handles no ACK with ECE or SACK blocks.
    let is_slow = a.ece || !a.sack.is_empty();
    let is_duplicate = find_dsack(s.una, a.sack).is_some();
    let has_ece = a.ece && sk.ecn_flags & Sock::ECN_OK != 0;
    // The ACK acknowledges a single partial segment in order, so the receiver may have delayed the ACK.
    let is_last = !(sacked || has_ece || is_duplicate || s.scoreboard.acknowledges_retransmitted());
    let is_short =
        advances && a.acked_bytes < s.mss && a.delivered_bytes == a.acked_bytes && arrived().count() == 1;
    set(WIN_UPDATE | DATA_ACKED | SND_UNA_ADVANCED | SET_XMIT_TIMER, advances)
        | set(RETRANS_DATA_ACKED, s.scoreboard.acknowledges_retransmitted())
        | set(DATA_SACKED, sacked)
        | set(ECE, has_ece)
        | set(SLOWPATH | UPDATE_TS_RECENT, is_slow)
        | set(ORIG_SACK_ACKED, arrived().any(|e| !e.ever_retransmitted && e.end <= high_seq))
        | set(DSACKING_ACK, is_duplicate)
        | set(ACK_MAYBE_DELAYED, is_last && is_short)
}

/// Returns `FLAG_LOST_RETRANS` if loss detection has marked a retransmission lost; else 0.
pub(super) fn loss_flags(s: &SenderState) -> u32 {
    let mut lost = s.scoreboard.newly_lost().iter().filter_map(|&start| s.scoreboard.get(start));
    if lost.any(|e| e.lost && e.retransmitted) { LOST_RETRANS } else { 0 }
}

/// Removes `FLAG_ACK_MAYBE_DELAYED` from `flag`. Linux clears this flag if other segments were delivered
/// between the transmission of a segment and its ACK.
pub(super) fn without_maybe_delayed(flag: u32) -> u32 {
    flag & !ACK_MAYBE_DELAYED
}

/// True if the ACK echoes a mark.
pub(super) fn has_echo(flag: u32) -> bool {
    flag & ECE != 0
}

/// Returns `rate_sample.is_ack_delayed`, computed from the flags.
pub(super) fn may_be_delayed(flag: u32) -> bool {
    flag & ACK_MAYBE_DELAYED != 0
}
