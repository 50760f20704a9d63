use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::notices::AnswerNaks;
use crate::recovery::Corrupted;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-cl",
    title: "TCP-CL",
    family: "explicit notification",
    preset: None,
    about: "A MAC that drops a segment puts its number, a NAK, on the next ACK of the flow that goes back through its node, and does not \
            report a link failure to the routing; the link counts as failed only if the next hop stays silent. The sender retransmits the \
            segment that a NAK names without touching its window, and does not halve the window for the duplicate ACKs that the same loss \
            causes. Everything else is Reno.",
    helps: "On paths of several wireless hops, where frames collide with those of nodes that their sender cannot hear: the MAC drops \
            frames without congestion, and takes a busy neighbour for a broken link. On one or two hops without errors there are no such \
            drops.",
    cite: "R.-S. Cheng and H.-T. Lin, A cross-layer design for TCP end-to-end performance improvement in multi-hop wireless \
           networks, Computer Communications 31 (2008) 3145-3152",
    needs: &["nak"],
    params: &[
        Param::number(
            "n",
            1.0,
            (0.0, 1e6),
            "retransmission threshold: drops in a row that are answered with a NAK; the next one is a broken link",
        ),
        Param::word(
            "no_ack",
            &["hold", "drop", "send"],
            "NAK without a waiting ACK of the flow at the node: hold = the NAK waits a second for one that passes; drop = no NAK, and \
             routing is notified (the algorithm read literally); send = the NAK goes in a packet of its own",
        ),
        Param::word(
            "ret_f",
            &["hop", "flow", "packet"],
            "scope of a node's count of drops: hop = next hop and flow, until it delivers something there; flow = the flow, for ever (the \
             algorithm read literally); packet = the segment, until it is delivered",
        ),
        Param::word(
            "reported",
            &["runs", "unanswered", "never"],
            "drops that routing takes for a broken link: runs = those after n in a row that it is spared, of data and of \
             ACKs alike; unanswered = all that make no NAK, and every lost ACK; never = none (the algorithm read literally: \
             its \"else discard\" says nothing of a report, as the description of the standard's MAC does)",
        ),
        Param::word(
            "repeats",
            &["suppressed", "sent"],
            "effect of the third duplicate ACK for a segment that was retransmitted on a NAK less than an srtt before",
        ),
    ],
    verified: &[
        "the rules of the slides of Cheng and Lin 2008 for the sender, line by line: the reaction to new ACKs, NAKs, duplicate \
         ACKs and the timer",
    ],
    reconstructed: &[
        "a frame is dropped at the attempt that reaches the MAC's limit, as for every other scheme. Read literally RET_L \
         allows two attempts more: attempts = 9 on the wlan, or 6 with RTS/CTS",
        "a NAKed frame is dropped: the source repairs it",
        "routing is told of a drop after n in a row, and lost ACKs have a count of their own: the slides fear that the MAC \
         takes contention for a link failure, of any frame, and do not say when a failure is believed (the parameter reported)",
        "without an ACK at hand a NAK is held for a second at most, eight for each flow, the oldest out first",
        "an ACK bears the four lowest numbers; the ACK may be anywhere in the queue",
        "the source's own MAC reports its drops by a call, within the same limit n",
        "a NAK restarts the retransmission timer",
        "a timeout forgets which segments were corrupted, as it sends all of them again",
        "duplicate ACKs count once for each segment that is expected next. A corrupted one begins fast recovery with the \
         window whole, and is not sent again within an srtt of the retransmission on its NAK",
        "recovery is Reno's, so congestion avoidance resumes with the first new ACK; the slides' \"W = 1 + 1/W\" is taken \
         for W + 1/W",
    ],
    features: ReceiverFeatures::NOTHING,
    build: &|p, _| Parts {
        control: Box::new(Reno),
        recovery: Box::new(Corrupted::new(p.choice("repeats") == 1)),
        notices: Box::new(AnswerNaks),
    },
};
