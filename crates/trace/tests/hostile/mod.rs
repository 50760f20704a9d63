//! Law for any captured packets: a reader of the files reads exactly these packets. Random tests and the
//! fuzzer use this harness.

#[path = "../../../tcp/tests/hostile/bytes.rs"]
mod bytes;
#[path = "../../../wire/tests/carried/mod.rs"]
mod carried;
mod reader;
mod script;

use airhop_base::{Body, FlowId, NodeId, Notice, Packet};
use airhop_trace::{Direction, Recorder};
use carried::carried;
use reader::{Capture, Interface, Record};
use script::{Crossing, Event, FLOWS, Script};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Limits of RFC 791 §3.1 and RFC 9293 §3.1, bytes.
const LARGEST_DATAGRAM: u32 = 65_535;
const LARGEST_OPTIONS: u32 = 40;

/// Captures the packets of the script into `folder`, which is emptied before, and reads them back.
pub fn capture(bytes: &[u8], folder: &Path) {
    let _was_not_there = fs::remove_dir_all(folder);
    let script = script::read(bytes);
    let expected = record(&script, folder);
    let mut read: Vec<Capture> = fs::read_dir(folder)
        .expect("the folder of captures")
        .map(|file| reader::read(&fs::read(file.expect("a file").path()).expect("a readable file")))
        .collect();
    assert_eq!(read.len(), script.nodes.len(), "a file for each node");
    for (name, expected) in script.nodes.iter().zip(&expected) {
        let is_its = |capture: &Capture| capture.comment.starts_with(&format!("Node {name}, "));
        let place = read.iter().position(is_its).unwrap_or_else(|| panic!("no file of {name:?}"));
        compare(&read.swap_remove(place), expected);
    }
}

/// Expected capture of one node.
#[derive(Default)]
struct Expected<'a> {
    interfaces: Vec<&'a str>,
    records: Vec<(&'a Crossing, usize, Packet)>,
}

/// Runs the script. Returns the expected contents of the files, by node.
fn record<'a>(script: &'a Script, folder: &Path) -> Vec<Expected<'a>> {
    let flows = vec![String::from("f"); FLOWS.into()];
    let nodes: Vec<String> = script.nodes.iter().map(|&name| name.into()).collect();
    let mut recorder = Recorder::new(&flows, &nodes, script.duration, false, Some(folder)).expect("a folder");
    let mut expected: Vec<Expected> = nodes.iter().map(|_| Expected::default()).collect();
    let mut wire = Wire::default();
    let mut is_refused = false;
    for event in &script.events {
        match event {
            Event::Interface(node, name) => {
                let interfaces = &mut expected[usize::from(node.0)].interfaces;
                assert_eq!(usize::from(recorder.add_interface(*node, name)), interfaces.len());
                interfaces.push(name);
            }
            Event::Crossing(c) => {
                let here = &mut expected[usize::from(c.node.0)];
                let Some(interface) = usize::from(c.interface).checked_rem(here.interfaces.len()) else {
                    continue;
                };
                recorder.record_packet(c.t, c.node, interface as u16, c.direction, &c.packet, c.comment);
                if is_captured(c) && !is_refused {
                    is_refused = !fits(&c.packet);
                    let packet = wire.carry(&c.packet);
                    here.records.extend((!is_refused).then_some((c.as_ref(), interface, packet)));
                }
            }
        }
    }
    // The first packet that cannot be written ends the capture, and is reported.
    assert_eq!(recorder.finish().is_err(), is_refused);
    expected
}

/// A forwarded packet is captured at its departure.
fn is_captured(c: &Crossing) -> bool {
    let is_for_here = c.packet.dst == c.node || c.packet.dst == NodeId::BROADCAST;
    c.direction == Direction::Out || is_for_here || c.comment.is_some()
}

/// True if a datagram can carry this packet.
fn fits(packet: &Packet) -> bool {
    let (length, options) = match &packet.body {
        Body::Tcp(s) => (40 + s.option_bytes() + s.len, s.option_bytes()),
        Body::Udp(d) => (28 + d.len, 0),
        Body::Notice(n) => (n.datagram_bytes(), 0),
        Body::Routing(message) => (28 + message.message_bytes(), 0),
    };
    packet.bytes == length && length <= LARGEST_DATAGRAM && options <= LARGEST_OPTIONS
}

/// State that a reader of the wire needs for a flow: its initiator, and the window scales announced by its ends.
#[derive(Default)]
struct Wire(HashMap<FlowId, Conversation>);

struct Conversation {
    sender: NodeId,
    receiver: NodeId,
    shifts: [u8; 2],
}

impl Wire {
    /// Returns the packet as a reader decodes it.
    fn carry(&mut self, packet: &Packet) -> Packet {
        let [sender, receiver] = match packet.body {
            Body::Notice(_) => [packet.dst, packet.src],
            _ => [packet.src, packet.dst],
        };
        let begun = Conversation { sender, receiver, shifts: [0; 2] };
        let conversation = self.0.entry(packet.flow).or_insert(begun);
        let shift = &mut conversation.shifts[usize::from(packet.src == conversation.sender)];
        if let Body::Tcp(s) = &packet.body
            && s.flags.syn
        {
            // RFC 7323 §2.2, §2.3: at most 14.
            *shift = (0..14).find(|shift| s.window >> shift <= 65_535).unwrap_or(14);
        }
        let packet = carried(packet, *shift);
        match &packet.body {
            // Yun 2009, §3.1: the notice has the form of an ACK of the receiver, for any origin.
            Body::Notice(n) if n.kind.is_segment_specific() => {
                let (src, dst) = (conversation.receiver, conversation.sender);
                Packet { src, dst, body: Body::Notice(Notice { origin: src, ..*n }), ..packet }
            }
            _ => packet,
        }
    }
}

fn compare(read: &Capture, expected: &Expected) {
    let described =
        |name: &&str| Interface { name: (*name).into(), link_type: 228, snap_len: 0, resolution: 9 };
    assert_eq!(read.interfaces, expected.interfaces.iter().map(described).collect::<Vec<_>>());
    assert_eq!(read.records.len(), expected.records.len());
    for (read, (crossing, interface, packet)) in read.records.iter().zip(&expected.records) {
        let decoded = airhop_wire::decode(&read.data).unwrap_or_else(|e| panic!("{e}: {packet:?}"));
        assert_eq!(&decoded.packet, packet);
        let expected = Record {
            interface: *interface as u32,
            ticks: crossing.t.nanos(),
            original_len: packet.bytes,
            flags: if crossing.direction == Direction::In { 1 } else { 2 },
            comment: crossing.comment.map(String::from),
            data: read.data.clone(),
        };
        assert_eq!(read, &expected);
        assert_eq!(read.data.len(), packet.bytes as usize);
    }
}
