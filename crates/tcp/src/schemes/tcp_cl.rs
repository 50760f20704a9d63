use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::notices::RetransmitOnNak;
use crate::recovery::TcpClRecovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-cl",
    title: "TCP-CL",
    family: "explicit notification",
    preset: None,
    about: "A MAC that drops a segment writes a NAK, the segment's number, into the next ACK of the flow that passes the node, and does \
    not report a link failure to routing. The link counts as failed only if the next hop no longer responds. The sender \
    retransmits the segment named by a NAK without a window reduction, and does not \
            halve the window for the duplicate ACKs of the same loss. All other rules are Reno's.",
    applicability: "On paths of several wireless hops, where frames collide with those of hidden nodes: the MAC drops frames without congestion, \
    and classifies a busy neighbour as a broken link. One or two hops without errors have no such drops.",
    citation: "R.-S. Cheng and H.-T. Lin, A cross-layer design for TCP end-to-end performance improvement in multi-hop wireless \
           networks, Computer Communications 31 (2008) 3145-3152",
    network_requirements: &["nak"],
    params: &[
        Param::with_range(
            "n",
            1.0,
            (0.0, 1e6),
            "retransmission threshold: largest number of consecutive drops that NAKs report; a further drop counts as a broken \
             link",
        ),
        Param::with_choices(
            "no_ack",
            &["hold", "drop", "send"],
            "NAK without a waiting ACK of the flow at the node: hold = the NAK waits up to a second for an ACK that \
             passes; drop = no NAK is sent, the drop is not counted, and routing is notified unless reported = \"never\" (the algorithm \
             read literally); send = the NAK is sent in a separate packet",
        ),
        Param::with_choices(
            "ret_f",
            &["hop", "flow", "packet"],
            "scope of a node's count of drops: hop = next hop and flow, until a delivery there; flow = the flow, without a \
             reset (the algorithm read literally); packet = the segment, until its delivery",
        ),
        Param::with_choices(
            "reported",
            &["runs", "unanswered", "never"],
            "drops reported to routing as a broken link: runs = each drop of data that causes no NAK, and each drop of an ACK that \
             follows n consecutive drops; unanswered = each drop of data that causes no NAK, and each drop of an ACK; never = no drop \
             (the \"else discard\" of the algorithm mentions no report, unlike the description of the standard's MAC)",
        ),
        Param::with_choices(
            "repeats",
            &["suppressed", "sent"],
            "third duplicate ACK for a segment that was retransmitted on a NAK less than an SRTT before: suppressed = the segment is \
             not retransmitted again; sent = the segment is retransmitted again",
        ),
    ],
    verified_rules: &[
        "the rules of the slides of Cheng and Lin 2008 for the sender, line by line: the reaction to new ACKs, NAKs, duplicate \
         ACKs and the timer",
    ],
    reconstructed_rules: &[
        "a frame is dropped at the MAC's attempt limit, as with every other scheme. In the algorithm read literally, RET_L \
         allows two more attempts; attempts = 9 of the wlan, or 6 with RTS/CTS, selects this reading",
        "a frame reported by a NAK is dropped, and the source retransmits its segment",
        "the MAC reports a drop to routing if it follows n consecutive drops; dropped ACKs are counted separately. The slides \
         warn that the MAC mistakes contention for a link failure, whether the dropped frame carries data or an ACK. They do not say \
         which drops indicate a failure; the parameter reported selects these drops",
        "without a waiting ACK a NAK is kept for one second at most, and at most eight NAKs per flow; the oldest is dropped first",
        "an ACK carries the NAKs of the four lowest segment numbers, wherever the ACK is in the queue",
        "the source's own MAC reports its drops to TCP by a call, within the same limit n",
        "a NAK restarts the retransmission timer",
        "under Block Ack a NAK in a separate packet names all segments discarded at the end of a PPDU, by a bitmap of \
         64 segments",
        "a timeout clears the list of corrupted segments, since all segments are retransmitted",
        "the third duplicate ACK for a corrupted segment starts fast recovery without a window reduction; further duplicate ACKs for \
         this segment do not start fast recovery. By default the segment is not retransmitted within one SRTT of its retransmission \
         on a NAK",
        "loss recovery is Reno's, so congestion avoidance resumes at the first new ACK; the slides' \"W = 1 + 1/W\" is read as W + 1/W",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, _| SenderPolicies {
        control: Box::new(Reno),
        recovery: Box::new(TcpClRecovery::new(p.choice("repeats") == 1)),
        notices: Box::new(RetransmitOnNak),
    },
};
