//! Captures, read back by independent readers.

use airhop_base::{
    Body, Datagram, Flags, FlowId, NodeId, Notice, NoticeKind, Packet, RareOptions, Sack, SackBlock, Segment,
    Span, Time, Timestamps,
};
use airhop_trace::{Direction, Recorder};
use etherparse::{PacketHeaders, TransportHeader};
use pcap_file::DataLink;
use pcap_file::pcapng::Block;
use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use std::fs::File;
use std::path::{Path, PathBuf};

const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(1);
const MSS: u32 = 1000;
const LOST: &str = "lost on s->d: collision";

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn recorder(dir: &Path) -> Recorder {
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    Recorder::new(&names(&["ftp", "voice"]), &names(&["s", "d"]), Span::from_secs(2), false, Some(dir))
        .unwrap()
}

/// Transfer over one link of 10 ms, captured at its sender, written segment by segment.
struct Exchange {
    recorder: Recorder,
    interface: u16,
    now: Time,
    packets: Vec<Packet>,
}

impl Exchange {
    fn new(dir: &Path) -> Self {
        let mut recorder = recorder(dir);
        let interface = recorder.add_interface(SENDER, "w1");
        assert_eq!(recorder.add_interface(SENDER, "cell"), interface + 1);
        Exchange { recorder, interface, now: Time::from_nanos(1_000_000_007), packets: Vec::new() }
    }

    fn record(&mut self, direction: Direction, body: Body, bytes: u32, comment: Option<&str>) {
        let (src, dst) = match direction {
            Direction::Out => (SENDER, RECEIVER),
            Direction::In => (RECEIVER, SENDER),
        };
        let packet = Packet::new(FlowId(0), src, dst, bytes, body);
        self.recorder.record_packet(self.now, SENDER, self.interface, direction, &packet, comment);
        self.packets.push(packet);
        self.now += Span::from_micros(800);
    }

    fn segment(&mut self, direction: Direction, segment: Segment, comment: Option<&str>) {
        let bytes = 40 + segment.option_bytes() + segment.len;
        self.record(direction, Body::Tcp(segment), bytes, comment);
    }

    fn handshake(&mut self) {
        let syn = Flags { syn: true, ..Flags::default() };
        self.segment(Direction::Out, Segment { seq: 0, ack: 0, flags: syn, ..blank(10) }, None);
        self.now += Span::from_millis(20);
        self.segment(
            Direction::In,
            Segment { seq: 0, ack: 1, flags: Flags { ack: true, ..syn }, ..blank(20) },
            None,
        );
        self.segment(Direction::Out, blank(30), None);
    }

    fn data(&mut self, number: u64, clock: u32, comment: Option<&str>) {
        self.segment(Direction::Out, Segment { seq: first_byte(number), len: MSS, ..blank(clock) }, comment);
    }

    fn ack(&mut self, next: u64, sacked: Option<(u64, u64)>, clock: u32) {
        let mut sack = Sack::EMPTY;
        if let Some((first, end)) = sacked {
            sack.push(SackBlock { start: first_byte(first), end: first_byte(end) });
        }
        let ack = Segment { ack: first_byte(next), ..blank(clock) };
        self.segment(Direction::In, ack.with_rare_options(RareOptions { sack, ..RareOptions::NONE }), None);
    }

    fn notice(&mut self, kind: NoticeKind, number: u64) {
        let (seq, end) = (first_byte(number), first_byte(number + 1));
        self.record(Direction::In, Body::Notice(Notice::with_segment(kind, seq, end)), 40, None);
    }
}

/// Returns the first byte of the segment with this number. The receiver never sends data, so its own offset
/// stays 1.
fn first_byte(number: u64) -> u64 {
    1 + number * u64::from(MSS)
}

fn blank(clock: u32) -> Segment {
    let flags = Flags { ack: true, ..Flags::default() };
    let timestamps = Some(Timestamps { tsval: clock, tsecr: clock.saturating_sub(10) });
    Segment { seq: 1, ack: 1, window: 20_000, flags, timestamps, ..Segment::default() }
}

/// Writes a handshake and six segments. Segment 2 is lost, ERSN and ELN arrive before the duplicate ACKs, and
/// segment 2 is retransmitted.
fn exchange(dir: &Path) -> Exchange {
    let mut x = Exchange::new(dir);
    x.handshake();
    for number in 0..6 {
        x.data(number, 30, (number == 2).then_some(LOST));
    }
    x.now += Span::from_millis(14);
    x.ack(1, None, 40);
    x.notice(NoticeKind::Ersn, 2);
    x.ack(2, None, 41);
    x.notice(NoticeKind::Eln, 2);
    for end in 4..=6 {
        x.ack(2, Some((3, end)), 42);
    }
    x.data(2, 50, None);
    x.now += Span::from_millis(20);
    x.ack(6, None, 60);
    x
}

fn read(path: &Path) -> (Vec<InterfaceDescriptionBlock<'static>>, Vec<EnhancedPacketBlock<'static>>) {
    let mut reader = PcapNgReader::new(File::open(path).unwrap()).unwrap();
    let (mut interfaces, mut packets) = (Vec::new(), Vec::new());
    while let Some(block) = reader.next_block() {
        match block.unwrap().into_owned() {
            Block::InterfaceDescription(interface) => interfaces.push(interface),
            Block::EnhancedPacket(packet) => packets.push(packet),
            other => panic!("{other:?}"),
        }
    }
    (interfaces, packets)
}

/// pcapng §4.2: raw IPv4, a name and nanoseconds for each interface; one file per node, even without packets.
#[test]
fn a_capture_describes_each_interface() {
    let dir = directory("interfaces");
    exchange(&dir).recorder.finish().unwrap();
    let (interfaces, _) = read(&dir.join("s.pcapng"));
    let names = ["w1", "cell"].map(|name| InterfaceDescriptionOption::IfName(name.into()));
    assert_eq!(interfaces.len(), 2);
    for (interface, name) in interfaces.iter().zip(names) {
        assert_eq!((interface.linktype, interface.snaplen), (DataLink::IPV4, 0));
        assert_eq!(interface.options, [name, InterfaceDescriptionOption::IfTsResol(9)]);
    }
    assert_eq!(read(&dir.join("d.pcapng")), (vec![], vec![]));
}

/// pcapng §4.3: time to the nanosecond, direction, the whole packet, and a comment only on the lost packet.
#[test]
fn captured_packets_have_a_time_and_lost_packets_a_comment() {
    let dir = directory("stamps");
    let x = exchange(&dir);
    let sent = x.packets;
    x.recorder.finish().unwrap();
    let (_, packets) = read(&dir.join("s.pcapng"));
    assert_eq!(packets.len(), sent.len());
    assert_eq!(packets[0].timestamp.as_nanos(), 1_000_000_007);
    for (index, (packet, sent)) in packets.iter().zip(&sent).enumerate() {
        assert_eq!((packet.original_len, packet.data.len()), (sent.bytes, sent.bytes as usize));
        let direction = EnhancedPacketOption::Flags(if sent.src == SENDER { 2 } else { 1 });
        if index == 5 {
            assert_eq!(packet.options, [direction, EnhancedPacketOption::Comment(LOST.into())]);
        } else {
            assert_eq!(packet.options, [direction]);
        }
    }
}

/// RFC 791 §3.1 and RFC 9293 §3.1, as parsed by etherparse: headers, checksums, and sequence numbers that
/// continue those of the SYNs.
#[test]
fn captured_ip_and_tcp_headers_are_valid() {
    let dir = directory("headers");
    let x = exchange(&dir);
    let sent = x.packets;
    x.recorder.finish().unwrap();
    let (_, packets) = read(&dir.join("s.pcapng"));
    let headers: Vec<_> = packets.iter().map(|p| PacketHeaders::from_ip_slice(&p.data).unwrap()).collect();
    let tcp = |index: usize| match &headers[index].transport {
        Some(TransportHeader::Tcp(tcp)) => tcp,
        other => panic!("{other:?}"),
    };
    assert_eq!((tcp(0).source_port, tcp(0).destination_port), (49152, 5001), "the sender opens");
    let isn = [tcp(0).sequence_number, tcp(1).sequence_number];
    for (index, sent) in sent.iter().enumerate() {
        let Some(etherparse::NetHeaders::Ipv4(ip, _)) = &headers[index].net else { panic!("not IPv4") };
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        let tcp = tcp(index);
        if let Body::Tcp(segment) = &sent.body {
            // etherparse drops the reserved bits, so its checksum of a notice would be wrong.
            let payload = headers[index].payload.slice();
            assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(ip, payload).unwrap());
            let way = usize::from(sent.src == RECEIVER);
            assert_eq!(tcp.sequence_number.wrapping_sub(isn[way]), segment.seq as u32);
            assert_eq!(tcp.ack, index > 0);
            if tcp.ack {
                assert_eq!(tcp.acknowledgment_number.wrapping_sub(isn[1 - way]), segment.ack as u32);
            }
        }
    }
}

/// RFC 9293 §3.8.1: every segment that looks like a retransmission is a retransmission. A forwarder's capture
/// contains each packet once.
#[test]
fn forwarders_capture_each_packet_once() {
    let dir = directory("forwarder");
    let nodes = ["s", "bs", "d"].map(str::to_owned);
    let mut recorder = Recorder::new(&["ftp".into()], &nodes, Span::ZERO, false, Some(&dir)).unwrap();
    let base_station = NodeId(1);
    let (wire, air) =
        (recorder.add_interface(base_station, "w1"), recorder.add_interface(base_station, "cell"));
    let segment = Segment { len: MSS, ..blank(1) };
    let (dst, bytes) = (NodeId(2), 52 + MSS);
    let packet = Packet::new(FlowId(0), SENDER, dst, bytes, Body::Tcp(segment));
    recorder.record_packet(
        Time::ZERO,
        base_station,
        wire,
        Direction::In,
        &packet,
        Some("lost on s->bs: channel"),
    );
    recorder.record_packet(Time::ZERO, base_station, wire, Direction::In, &packet, None);
    recorder.record_packet(Time::ZERO, base_station, air, Direction::Out, &packet, None);
    recorder.finish().unwrap();
    let interfaces: Vec<u32> = read(&dir.join("bs.pcapng")).1.iter().map(|p| p.interface_id).collect();
    assert_eq!(interfaces, [u32::from(wire), u32::from(air)]);
}

/// RFC 768: datagrams of a second flow are interleaved with the segments of the first.
#[test]
fn udp_datagrams_are_captured() {
    let dir = directory("datagrams");
    let mut recorder = recorder(&dir);
    let interface = recorder.add_interface(RECEIVER, "w1");
    let body = Body::Udp(Datagram { sequence_number: 7, len: 160, sent: Time::ZERO, original: None });
    let packet = Packet::new(FlowId(1), SENDER, RECEIVER, 188, body);
    recorder.record_packet(Time::from_nanos(5), RECEIVER, interface, Direction::In, &packet, None);
    recorder.finish().unwrap();
    let (_, packets) = read(&dir.join("d.pcapng"));
    let headers = PacketHeaders::from_ip_slice(&packets[0].data).unwrap();
    let Some(TransportHeader::Udp(udp)) = headers.transport else { panic!("not UDP") };
    assert_eq!((udp.source_port, udp.destination_port, udp.length), (49153, 6001, 168));
}

/// An error of the disk or of a packet ends the capture, but not the run. At the end the error is reported
/// with its file.
#[test]
fn capture_errors_are_reported_at_the_end_of_the_run() {
    let dir = directory("errors");
    let mut x = exchange(&dir);
    x.record(Direction::Out, Body::Tcp(blank(70)), 1, None);
    x.data(6, 80, None);
    let error = x.recorder.finish().unwrap_err();
    assert!(error.to_string().contains("52 bytes says that it has 1"), "{error}");

    let mut recorder = recorder(&dir);
    let packet = x.packets[0].clone();
    recorder.record_packet(Time::ZERO, SENDER, 3, Direction::Out, &packet, None);
    let error = recorder.finish().unwrap_err();
    assert!(error.to_string().contains("s.pcapng") && error.to_string().contains("interface"), "{error}");
}

/// A full disk is reported at the end, with the name of the file.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_at_the_end() {
    let dir = directory("full");
    std::fs::create_dir_all(&dir).unwrap();
    if !dir.join("s.pcapng").exists() {
        std::os::unix::fs::symlink("/dev/full", dir.join("s.pcapng")).unwrap();
    }
    let error = exchange(&dir).recorder.finish().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert!(error.to_string().contains("s.pcapng"), "{error}");
}

/// A file that cannot be created is reported at once, with its path.
#[test]
fn an_error_names_the_directory_that_cannot_be_created() {
    let file = directory("a-file");
    std::fs::write(&file, "").unwrap();
    let error = Recorder::new(&[], &[], Span::ZERO, false, Some(&file.join("sub"))).err().unwrap();
    assert!(error.to_string().contains("a-file"), "{error}");
}

/// The number of flows is limited by the dynamic ports (RFC 6335 §6): more flows are an error before the run.
#[test]
fn more_flows_than_dynamic_ports_are_refused() {
    let dir = directory("ports");
    let with =
        |flows: usize| Recorder::new(&vec!["f".into(); flows], &[], Span::ZERO, false, Some(&dir)).err();
    assert!(with(16_384).is_none());
    assert!(with(16_385).expect("too many").to_string().contains("at most 16384"));
}
