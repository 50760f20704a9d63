//! Comparison of a segment that a script expects with a sent segment.

use crate::script::{EcnField, Flags, Segment, TcpOption};
use crate::stack::ComparedFields;

/// Returns the first field that differs between the expected and the sent segment; `None` if the segments
/// agree.
pub(crate) fn first_difference(
    expected: &Segment,
    sent: &Segment,
    compared: ComparedFields,
    push: bool,
) -> Option<&'static str> {
    // PSH also depends on where a network card gathers segments, so PSH is compared only if the script
    // requests it.
    let flags = |s: &Segment| Flags { psh: s.flags.psh && push, ..s.flags };
    if flags(expected) != flags(sent) {
        return Some("flags");
    }
    if (expected.seq, expected.payload_bytes) != (sent.seq, sent.payload_bytes) {
        return Some("sequence numbers");
    }
    if expected.ack.is_some() && expected.ack != sent.ack {
        return Some("acknowledgement number");
    }
    if compared.window && expected.window.is_some() && expected.window != sent.window {
        return Some("window");
    }
    if !ecn_agrees(expected.ecn, sent.ecn) {
        return Some("ECN field");
    }
    expected.options.as_ref()?;
    let with_syn_options = expected.flags.syn && compared.syn_options;
    options(expected, with_syn_options, sent)
}

fn ecn_agrees(expected: Option<EcnField>, sent: Option<EcnField>) -> bool {
    match (expected, sent.unwrap_or(EcnField::NotEct)) {
        (None, _) | (Some(EcnField::Ect), EcnField::Ect0 | EcnField::Ect1) => true,
        (Some(expected), sent) => expected == sent,
    }
}

fn options(expected: &Segment, with_syn_options: bool, sent: &Segment) -> Option<&'static str> {
    let echo = |s: &Segment| s.timestamps().map(|(_, echo)| echo);
    if expected.timestamps().is_some() != sent.timestamps().is_some() {
        return Some("timestamps option");
    }
    // TSecr of a SYN is always 0 (RFC 7323 §3.2), and stacks have different clocks for a SYN.
    if echo(expected) != echo(sent) && (expected.ack.is_some() || expected.flags.ack) {
        return Some("echoed timestamp");
    }
    if expected.sack_blocks() != sent.sack_blocks() {
        return Some("SACK blocks");
    }
    if with_syn_options {
        let of_syn = |s: &Segment| (s.mss(), s.window_scale(), s.permits_sack());
        if of_syn(expected) != of_syn(sent) {
            return Some("options of the SYN");
        }
    }
    let has_others = sent.specified_options().any(|option| matches!(option, TcpOption::Other(_)));
    has_others.then_some("further options")
}
