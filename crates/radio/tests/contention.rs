//! Contention time of a packet up to the exchange that delivers it. TCP-CC adds these times (Hamadani and
//! Rakocevic 2007).

use crate::harness::{on_link, plan};
use airhop_base::{AccessCategory, Body, Datagram, FlowId, NodeId, Packet, Span, Time};
use airhop_engine::{Arena, EventQueue, RandomStreams};
use airhop_radio::PacketTag;
use airhop_radio::cell::{AccessMethod, Cell, CellEvent, CellPlan};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::layer::{LinkEffect, OutgoingPacket};
use airhop_radio::phy::{CTS_BYTES, RTS_BYTES};

const BYTES: u32 = 1040;

/// Sends packets over a channel that loses every second data frame. Returns three values for each packet that
/// arrives: the time from its arrival in the MAC to its delivery, its contention time, and its number of
/// failed attempts.
fn deliveries(plan: &CellPlan, packets: usize) -> Vec<(Span, Span, u32)> {
    let (mut cell, mut arena) = (Cell::new(plan, &RandomStreams::new(1, 0)), Arena::new());
    let (mut queue, mut effects) = (EventQueue::<CellEvent>::new(), Vec::new());
    let (mut taken, mut failed, mut seen) = (Time::ZERO, 0, Vec::new());
    while seen.len() < packets {
        if cell.has_room(0, AccessCategory::default()) {
            let now = queue.now();
            let body = Body::Udp(Datagram { sequence_number: 0, len: BYTES - 28, sent: now, original: None });
            let packet = arena.insert(Packet::new(FlowId(0), NodeId(0), NodeId(1), BYTES, body));
            let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: 0 };
            let category = AccessCategory::default();
            let packet = OutgoingPacket {
                to: 1,
                packet,
                bytes: BYTES,
                header_bytes: 28,
                tag,
                category,
                fragmentation: None,
            };
            (taken, failed) = (now, 0);
            cell.send(now, 0, packet, &mut queue);
        }
        let (now, CellEvent { kind: what, .. }) = queue.pop_until(Time::MAX).expect("a saturated station");
        cell.on_event(now, what, &mut queue, &mut effects);
        for effect in effects.drain(..) {
            match effect {
                LinkEffect::AttemptFailed { .. } => failed += 1,
                LinkEffect::Deliver { packet, contended, .. } => {
                    arena.take(packet);
                    seen.push((now - taken, contended, failed));
                }
                _ => {}
            }
        }
    }
    seen
}

// The contention time ends at the start of the successful exchange. From then to the delivery it takes RTS,
// CTS, two SIFS and the data frame, or only the data frame. Failed attempts and their timeouts count as
// contention time.
#[test]
fn contention_time_ends_at_the_successful_exchange() {
    for access in [AccessMethod::Basic, AccessMethod::RtsCts] {
        let mut plan = plan(2);
        plan.access_method = access;
        plan.errors = vec![on_link(0, 1, ErrorPlan::FrameErrorRate { fer: 0.5, reference_bits: 8 * 1076 })];
        let phy = &plan.phy;
        let data = phy.airtime(BYTES + plan.overhead_bytes, plan.data_rate);
        let control = |bytes| phy.airtime(bytes, plan.control_rate) + phy.sifs;
        let reserved = control(RTS_BYTES) + control(CTS_BYTES);
        let exchange = if access == AccessMethod::Basic { data } else { reserved + data };
        let seen = deliveries(&plan, 200);
        assert!(seen.iter().any(|s| s.2 == 0) && seen.iter().any(|s| s.2 > 1));
        for (total, contended, failed) in seen {
            assert_eq!(contended + exchange, total, "{access:?}");
            assert!(
                contended >= phy.difs() + data * u64::from(failed.min(1)) || access == AccessMethod::RtsCts
            );
        }
    }
}
