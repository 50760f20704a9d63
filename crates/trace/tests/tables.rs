//! Tables returned by a recorder: readers of traces depend on names, order and types of the columns.

use airhop_base::{
    AccessCategory, DropCause, Ecn, Flags, FlowId, NodeId, NoticeKind, Rate, Segment, Span, Time,
};
use airhop_trace::{
    AckRow, AirFrameKind, AirOutcome, AirRow, Column, DropRow, MpduRow, NoticeEvent, PacketKind, PathStep,
    Recorder, SendCause, SendContext, StepLocation, StepPacket, Table, WindowSample,
};

const FTP: FlowId = FlowId(0);
const WEB: FlowId = FlowId(1);
const SENT: SendContext =
    SendContext { retransmission: true, cause: SendCause::Notice, cwnd: 4.5, in_flight_bytes: 3000 };
const SAMPLE: WindowSample =
    WindowSample { cwnd: 2.5, ssthresh: 64.0, in_flight_bytes: 2000, srtt: None, rto: None };

fn segment() -> Segment {
    Segment { seq: 2001, len: 1000, ..Segment::default() }
}

fn recorder(tables: bool) -> Recorder {
    let flows = ["ftp", "web"].map(str::to_owned);
    let nodes = ["n0", "n1"].map(str::to_owned);
    Recorder::new(&flows, &nodes, Span::from_secs(1), tables, None).unwrap()
}

fn at(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// Records one packet of each kind.
fn fill(r: &mut Recorder) {
    r.record_segment(at(1500), WEB, &segment(), SENT);
    r.record_ack(at(1), FTP, AckRow { ack: 2001, sacked_bytes: 3000, duplicate: true, ece: true });
    r.record_window(at(2), FTP, SAMPLE);
    let uplink = r.intern_place("d->bs");
    let downlink = r.intern_place("bs->d");
    assert_eq!(r.intern_place("d->bs"), uplink);
    let row =
        DropRow { flow: WEB, cause: DropCause::Collision, kind: PacketKind::Control, seq: 7, bytes: 14 };
    r.record_drop(at(3), downlink, row);
    r.record_queue_length(at(3), uplink, 1);
    r.record_notice(at(4), FTP, NoticeKind::Ersn, NoticeEvent::Sent, 2001);
    r.record_notice(at(5), FTP, NoticeKind::Nak, NoticeEvent::Received { lateness_ms: Some(-1.5) }, 2001);
    r.record_delivery(at(6), WEB, 1 << 40);
    r.record_fade(downlink, [at(8), at(9)]);
    r.record_link(at(0), uplink, Some(Rate::from_bps(5_500_000)), Span::from_millis(20));
    r.record_link(at(9), uplink, None, Span::from_millis(30));
    r.record_station("field", "n0", [0.0, 0.5]);
    r.record_station("field", "n1", [30.0, -1.0]);
    let frame = AirRow {
        start: at(6),
        end: at(7),
        from: NodeId(1),
        to: Some(NodeId(0)),
        kind: AirFrameKind::Data,
        bytes: 1094,
        flow: WEB,
        packet: PacketKind::Data,
        seq: 2001,
        attempt: 2,
        category: Some(AccessCategory::Vi),
        outcome: AirOutcome::Captured,
    };
    r.record_transmission(frame);
    r.record_transmission(AirRow {
        to: None,
        kind: AirFrameKind::Broadcast,
        outcome: AirOutcome::Unheard,
        ..frame
    });
    r.record_transmission(AirRow { kind: AirFrameKind::Ampdu, ..frame });
    let mpdu = MpduRow {
        mpdu_index: 0,
        msdu_index: 0,
        sequence: 4097,
        flow: WEB,
        packet: PacketKind::Data,
        seq: 2001,
        bytes: 1094,
        attempt: 2,
        outcome: AirOutcome::Channel,
    };
    r.record_mpdu(mpdu);
    r.record_mpdu(MpduRow { mpdu_index: 1, sequence: 4099, outcome: AirOutcome::Received, ..mpdu });
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|t| t.name == name).unwrap()
}

/// Returns the strings of a category column, row by row.
fn words<'a>(table: &'a Table, name: &str) -> Vec<&'a str> {
    match table.column(name) {
        Some(Column::Category(codes, words)) => codes.iter().map(|c| words[*c as usize].as_str()).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Definition of the files for their readers: these tables, with these columns of these types.
#[test]
fn the_trace_tables_have_a_fixed_schema() {
    let mut r = recorder(true);
    fill(&mut r);
    let schema: Vec<String> = r
        .finish()
        .unwrap()
        .iter()
        .map(|t| {
            let columns = t.columns.iter().map(|(name, column)| match column {
                Column::U64(_) => format!("{name} u64"),
                Column::U32(_) => format!("{name} u32"),
                Column::F64(_) => format!("{name} f64"),
                Column::Bool(_) => format!("{name} bool"),
                Column::Category(..) => format!("{name} category"),
            });
            format!("{}: {}", t.name, columns.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let expected = [
        "segments: time_s f64, flow category, seq u64, bytes u32, retransmission bool, cause category, \
         cwnd f64, flight u32, fin bool",
        "acks: time_s f64, flow category, ack u64, sacked_bytes u32, duplicate bool, ece bool",
        "window: time_s f64, flow category, cwnd f64, ssthresh f64, flight u32, srtt_ms f64, rto_ms f64",
        "drops: time_s f64, flow category, place category, cause category, kind category, seq u64, bytes u32",
        "queue: time_s f64, place category, packets u32",
        "notices: time_s f64, flow category, kind category, event category, seq u64, lateness_ms f64",
        "deliveries: time_s f64, flow category, bytes u64",
        "fades: place category, begin_s f64, end_s f64",
        "stations: wlan category, station category, x_m f64, y_m f64",
        "air: start_s f64, end_s f64, from category, to category, kind category, bytes u32, flow category, \
         packet category, seq u64, attempt u32, category category, outcome category",
        "mpdus: ppdu u32, place u32, msdu u32, sequence u64, flow category, packet category, seq u64, bytes u32, attempt u32, \
         outcome category",
        "packets: time_s f64, packet u64, step category, cause category, place category, flow category, kind category, seq u64, \
         bytes u32, payload u32, damaged bool, ecn category, flags category",
        "links: time_s f64, place category, rate_mbps f64, delay_ms f64",
    ];
    assert_eq!(schema, expected);
}

/// Every probe writes the row that describes its event.
#[test]
fn trace_rows_contain_the_recorded_values() {
    let mut r = recorder(true);
    fill(&mut r);
    let tables = r.finish().unwrap();
    let segments = table(&tables, "segments");
    assert_eq!(segments.column("time_s"), Some(&Column::F64(vec![1.5])));
    assert_eq!(segments.column("seq"), Some(&Column::U64(vec![2001])));
    assert_eq!(segments.column("bytes"), Some(&Column::U32(vec![1000])));
    assert_eq!(segments.column("retransmission"), Some(&Column::Bool(vec![true])));
    assert_eq!([words(segments, "flow"), words(segments, "cause")], [["web"], ["notice"]]);
    assert_eq!(segments.column("cwnd"), Some(&Column::F64(vec![4.5])));
    assert_eq!(segments.column("flight"), Some(&Column::U32(vec![3000])));

    let acks = table(&tables, "acks");
    assert_eq!(acks.column("sacked_bytes"), Some(&Column::U32(vec![3000])));
    assert_eq!(acks.column("ece"), Some(&Column::Bool(vec![true])));

    let drops = table(&tables, "drops");
    assert_eq!([words(drops, "place"), words(drops, "cause")], [["bs->d"], ["collision"]]);
    assert_eq!([words(drops, "kind"), words(drops, "flow")], [["control"], ["web"]]);

    let notices = table(&tables, "notices");
    assert_eq!([words(notices, "kind"), words(notices, "event")], [["ersn", "nak"], ["sent", "received"]]);
    let Some(Column::F64(lateness)) = notices.column("lateness_ms") else { panic!("numbers") };
    assert!(lateness[0].is_nan() && lateness[1] == -1.5, "{lateness:?}");

    assert_eq!(table(&tables, "deliveries").column("bytes"), Some(&Column::U64(vec![1 << 40])));

    let mpdus = table(&tables, "mpdus");
    assert_eq!(mpdus.column("ppdu"), Some(&Column::U32(vec![2, 2])), "the third row of `air`");
    assert_eq!(mpdus.column("place"), Some(&Column::U32(vec![0, 1])));
    assert_eq!(mpdus.column("sequence"), Some(&Column::U64(vec![4097, 4099])));
    assert_eq!(words(mpdus, "outcome"), ["channel", "received"]);

    let fades = table(&tables, "fades");
    assert_eq!(words(fades, "place"), ["bs->d"]);
    assert_eq!(fades.column("begin_s"), Some(&Column::F64(vec![0.008])));
    assert_eq!(fades.column("end_s"), Some(&Column::F64(vec![0.009])));

    let links = table(&tables, "links");
    assert_eq!(words(links, "place"), ["d->bs"; 2]);
    assert_eq!(links.column("time_s"), Some(&Column::F64(vec![0.0, 0.009])));
    assert_eq!(links.column("rate_mbps"), Some(&Column::F64(vec![5.5, 0.0])));
    assert_eq!(links.column("delay_ms"), Some(&Column::F64(vec![20.0, 30.0])));

    let stations = table(&tables, "stations");
    assert_eq!([words(stations, "wlan"), words(stations, "station")], [["field"; 2], ["n0", "n1"]]);
    assert_eq!(stations.column("x_m"), Some(&Column::F64(vec![0.0, 30.0])));
    assert_eq!(stations.column("y_m"), Some(&Column::F64(vec![0.5, -1.0])));

    let air = table(&tables, "air");
    assert_eq!(air.column("start_s"), Some(&Column::F64(vec![0.006; 3])));
    assert_eq!(air.column("end_s"), Some(&Column::F64(vec![0.007; 3])));
    assert_eq!([words(air, "from"), words(air, "to")], [["n1"; 3], ["n0", "*", "n0"]]);
    assert_eq!(
        [words(air, "kind"), words(air, "outcome")],
        [["data", "broadcast", "a-mpdu"], ["captured", "unheard", "captured"]]
    );
    assert_eq!([words(air, "flow"), words(air, "packet")], [["web"; 3], ["data"; 3]]);
    assert_eq!(air.column("seq"), Some(&Column::U64(vec![2001; 3])));
    assert_eq!(
        [air.column("bytes"), air.column("attempt")],
        [Some(&Column::U32(vec![1094; 3])), Some(&Column::U32(vec![2; 3]))]
    );
}

/// A packet has its number from its first step to its last; afterwards its slot belongs to another packet.
#[test]
fn each_packet_has_its_own_number_in_the_trace() {
    let mut r = recorder(true);
    let link = StepLocation::Place(r.intern_place("n0->n1"));
    let walker = StepPacket {
        slot: 3,
        flow: FTP,
        kind: PacketKind::Data,
        seq: 1,
        bytes: 1040,
        payload_bytes: 1000,
        has_payload_errors: false,
        ecn: Ecn::Ect0,
        flags: Some(Flags { ack: true, ..Flags::default() }),
    };
    let other = StepPacket {
        slot: 0,
        flow: FlowId::NONE,
        kind: PacketKind::Routing,
        ecn: Ecn::NotEct,
        flags: None,
        ..walker
    };
    r.record_step(at(0), PathStep::Made, StepLocation::Node(NodeId(0)), walker);
    r.record_step(at(1), PathStep::Offered, link, walker);
    r.record_step(at(1), PathStep::Made, StepLocation::Node(NodeId(1)), other);
    r.record_step(at(2), PathStep::Dropped(DropCause::Queue), link, StepPacket { ecn: Ecn::Ce, ..walker });
    let setup = Some(Flags { syn: true, ece: true, cwr: true, ..Flags::default() });
    let odd = StepPacket { seq: 1001, has_payload_errors: true, ecn: Ecn::Ect1, flags: setup, ..walker };
    r.record_step(at(3), PathStep::Made, StepLocation::Node(NodeId(0)), odd);
    let tables = r.finish().unwrap();
    let packets = table(&tables, "packets");
    assert_eq!(packets.column("packet"), Some(&Column::U64(vec![0, 0, 1, 0, 2])));
    assert_eq!(words(packets, "step"), ["made", "offered", "made", "dropped", "made"]);
    assert_eq!(words(packets, "cause"), ["-", "-", "-", "queue", "-"]);
    assert_eq!(words(packets, "place"), ["n0", "n0->n1", "n1", "n0->n1", "n0"]);
    assert_eq!(words(packets, "flow"), ["ftp", "ftp", "-", "ftp", "ftp"]);
    assert_eq!(packets.column("seq"), Some(&Column::U64(vec![1, 1, 1, 1, 1001])));
    assert_eq!(packets.column("bytes"), Some(&Column::U32(vec![1040; 5])));
    assert_eq!(packets.column("payload"), Some(&Column::U32(vec![1000; 5])));
    assert_eq!(packets.column("damaged"), Some(&Column::Bool(vec![false, false, false, false, true])));
    assert_eq!(words(packets, "ecn"), ["ect0", "ect0", "not-ect", "ce", "ect1"]);
    assert_eq!(words(packets, "flags"), [".", ".", "-", ".", "SEW"]);
}

/// Codes of category columns are indices into the lists of strings.
#[test]
fn every_category_has_its_code() {
    let mut r = recorder(true);
    let place = r.intern_place("r1->r2");
    for cause in SendCause::ALL {
        r.record_segment(at(0), FTP, &segment(), SendContext { cause, ..SENT });
    }
    for (cause, kind) in DropCause::ALL.into_iter().zip(PacketKind::ALL.into_iter().cycle()) {
        r.record_drop(at(0), place, DropRow { flow: FTP, cause, kind, seq: 0, bytes: 0 });
    }
    for kind in NoticeKind::ALL {
        r.record_notice(at(0), FTP, kind, NoticeEvent::Sent, 0);
    }
    let tables = r.finish().unwrap();
    assert_eq!(words(table(&tables, "segments"), "cause"), SendCause::ALL.map(SendCause::name));
    assert_eq!(words(table(&tables, "drops"), "cause"), DropCause::ALL.map(DropCause::name));
    assert_eq!(words(table(&tables, "drops"), "kind")[..6], PacketKind::ALL.map(PacketKind::name));
    assert_eq!(words(table(&tables, "notices"), "kind"), NoticeKind::ALL.map(NoticeKind::name));
}

/// A row of `window` is a change of cwnd, ssthresh, srtt or rto of that flow; times without a sample are NaN.
#[test]
fn window_rows_record_changes_only() {
    let mut r = recorder(true);
    let (srtt, rto) = (Some(Span::from_micros(1500)), Some(Span::from_secs(1)));
    r.record_window(at(0), FTP, SAMPLE);
    r.record_window(at(1), WEB, SAMPLE);
    r.record_window(at(2), FTP, SAMPLE);
    r.record_window(at(3), FTP, WindowSample { in_flight_bytes: 3000, ..SAMPLE });
    r.record_window(at(4), FTP, WindowSample { srtt, ..SAMPLE });
    r.record_window(at(5), FTP, WindowSample { srtt, rto, ..SAMPLE });
    r.record_window(at(6), FTP, WindowSample { ssthresh: f64::INFINITY, srtt, rto, ..SAMPLE });
    r.record_window(at(7), FTP, WindowSample { ssthresh: f64::INFINITY, srtt, rto, ..SAMPLE });
    let tables = r.finish().unwrap();
    let window = table(&tables, "window");
    assert_eq!(window.rows(), 5);
    assert_eq!(window.column("time_s"), Some(&Column::F64(vec![0.0, 0.001, 0.004, 0.005, 0.006])));
    let Some(Column::F64(srtt_ms)) = window.column("srtt_ms") else { panic!() };
    assert!(srtt_ms[0].is_nan() && srtt_ms[2] == 1.5);
    let Some(Column::F64(rto_ms)) = window.column("rto_ms") else { panic!() };
    assert!(rto_ms[2].is_nan() && rto_ms[3] == 1000.0);
}

/// A row of `queue` is a change of the length at that place; queues are empty at first.
#[test]
fn queue_rows_record_changes_only() {
    let mut r = recorder(true);
    let (wire, air) = (r.intern_place("r1->r2"), r.intern_place("bs->*"));
    for (ms, place, packets) in
        [(0, wire, 0), (1, wire, 1), (2, air, 1), (3, wire, 1), (4, wire, 0), (5, air, 3)]
    {
        r.record_queue_length(at(ms), place, packets);
    }
    let tables = r.finish().unwrap();
    let queue = table(&tables, "queue");
    assert_eq!(queue.column("time_s"), Some(&Column::F64(vec![0.001, 0.002, 0.004, 0.005])));
    assert_eq!(queue.column("packets"), Some(&Column::U32(vec![1, 1, 0, 3])));
    assert_eq!(words(queue, "place"), ["r1->r2", "bs->*", "r1->r2", "bs->*"]);
}

/// Without changes of links there is no table `links`.
#[test]
fn a_trace_without_link_changes_has_no_links_table() {
    let tables = recorder(true).finish().unwrap();
    assert!(tables.iter().all(|table| table.name != "links"));
}

/// A flow that opens again has rows under its new name. Its first window is a row, even if it equals the last
/// window of the previous connection.
#[test]
fn a_reopened_flow_has_rows_under_a_new_name() {
    let mut r = recorder(true);
    r.record_window(at(1), FTP, SAMPLE);
    r.record_delivery(at(2), FTP, 1000);
    r.reopen_flow(FTP, "ftp#2");
    r.record_window(at(3), FTP, SAMPLE);
    r.record_delivery(at(4), FTP, 500);
    r.record_segment(
        at(5),
        FTP,
        &Segment { flags: Flags { fin: true, ..Flags::default() }, ..segment() },
        SENT,
    );
    let tables = r.finish().unwrap();
    assert_eq!(words(table(&tables, "window"), "flow"), ["ftp", "ftp#2"]);
    assert_eq!(words(table(&tables, "deliveries"), "flow"), ["ftp", "ftp#2"]);
    assert_eq!(table(&tables, "segments").column("fin"), Some(&Column::Bool(vec![true])));
}

/// A recorder without requested records accepts all calls and has no tables.
#[test]
fn only_requested_trace_tables_are_recorded() {
    let mut r = Recorder::new(&[], &[], Span::ZERO, false, None).unwrap();
    assert!(!r.captures_packets());
    r.record_window(at(0), FTP, SAMPLE);
    r.record_delivery(at(0), FTP, 1);
    assert_eq!(r.intern_place("bs->d"), 0);
    assert_eq!(r.finish().unwrap(), []);
}
