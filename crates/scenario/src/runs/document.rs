//! The run document: the results of one run as JSON. Field names and their order are a contract.

use airhop_base::{Drop, NoticeKind};
use airhop_net::{Confusion, FlowReport, Lateness, Report, RoutingCounts, TRUE_CAUSES};
use airhop_tcp::seams::Judged;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// One run.
#[derive(Serialize)]
struct Document<'a> {
    scenario: &'a str,
    seed: u64,
    rep: u64,
    duration_s: f64,
    warmup_s: f64,
    events: u64,
    wall_s: f64,
    fingerprint: String,
    flows: Vec<FlowDocument<'a>>,
    drops: Counts<{ Drop::ALL.len() }>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<RoutingDocument>,
}

/// What the routers of all cells counted.
#[derive(Serialize)]
struct RoutingDocument {
    requests: u64,
    replies: u64,
    errors: u64,
    link_failures: u64,
}

/// One flow.
#[derive(Serialize)]
struct FlowDocument<'a> {
    name: &'a str,
    scheme: Option<&'a str>,
    transport: &'a str,
    from: &'a str,
    to: &'a str,
    route_hops: usize,
    goodput_mbps: f64,
    delivered_bytes: u64,
    sent_segments: u64,
    retransmissions: u64,
    timeouts: Option<u64>,
    fast_recoveries: Option<u64>,
    window_cuts: Option<u64>,
    spurious_timeouts: Option<u64>,
    srtt_ms: Option<f64>,
    completion_s: Option<f64>,
    notices: Counts<{ NoticeKind::ALL.len() }>,
    judgements: Option<Confused>,
    duplicates: Option<u64>,
    timeouts_warned_late: Option<u64>,
    lateness: Option<LatenessDocument>,
}

/// How late the notices came that could have spared timeouts.
#[derive(Serialize)]
struct LatenessDocument {
    notices: u64,
    late: u64,
    mean_ms: f64,
}

/// How often a loss that was judged so had that true cause: `{"congestion": {"queue": 3, …}, …}`.
struct Confused(Confusion);

impl Serialize for Confused {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (judged, row) in Judged::ALL.iter().zip(&self.0) {
            let counts =
                Counts(std::array::from_fn::<_, { TRUE_CAUSES.len() }, _>(|i| (TRUE_CAUSES[i], row[i])));
            map.serialize_entry(judged.name(), &counts)?;
        }
        map.end()
    }
}

/// Counts by name, in the order of the names.
struct Counts<const N: usize>([(&'static str, u64); N]);

impl<const N: usize> Serialize for Counts<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(N))?;
        for (name, count) in &self.0 {
            map.serialize_entry(name, count)?;
        }
        map.end()
    }
}

/// The run document of `report`; `wall_s` is how long the run took, seconds.
pub(crate) fn document(scenario: &str, seed: u64, rep: u64, wall_s: f64, report: &Report) -> String {
    let document = Document {
        scenario,
        seed,
        rep,
        duration_s: report.duration.secs_f64(),
        warmup_s: report.warmup.secs_f64(),
        events: report.events,
        wall_s,
        fingerprint: format!("{:016x}", report.fingerprint),
        flows: report.flows.iter().map(flow).collect(),
        drops: Counts(std::array::from_fn(|i| (Drop::ALL[i].name(), report.drops[i]))),
        routing: report.routing.map(routing),
    };
    serde_json::to_string(&document).expect("numbers and texts are JSON")
}

fn routing(counts: RoutingCounts) -> RoutingDocument {
    let RoutingCounts { requests, replies, errors, link_failures } = counts;
    RoutingDocument { requests, replies, errors, link_failures }
}

fn flow(f: &FlowReport) -> FlowDocument<'_> {
    // What only a real kernel knows is null, and no zero.
    let known = |count: u64| (!f.is_real).then_some(count);
    FlowDocument {
        name: &f.name,
        scheme: f.scheme,
        transport: f.transport,
        from: &f.from,
        to: &f.to,
        route_hops: f.route_hops,
        goodput_mbps: f.goodput_mbps,
        delivered_bytes: f.delivered_bytes,
        sent_segments: f.sent_segments,
        retransmissions: f.retransmissions,
        timeouts: known(f.timeouts),
        fast_recoveries: known(f.fast_recoveries),
        window_cuts: known(f.window_cuts),
        spurious_timeouts: known(f.spurious_timeouts),
        srtt_ms: f.srtt_ms,
        completion_s: f.completion_s,
        notices: Counts(std::array::from_fn(|i| (NoticeKind::ALL[i].name(), f.notices[i]))),
        judgements: (!f.is_real).then_some(Confused(f.classifications)),
        duplicates: known(f.duplicates),
        timeouts_warned_late: known(f.lateness.timeouts_warned_late),
        lateness: lateness(&f.lateness),
    }
}

fn lateness(of: &Lateness) -> Option<LatenessDocument> {
    let mean_ms = of.mean_ms()?;
    Some(LatenessDocument { notices: of.notices, late: of.late, mean_ms })
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    #[test]
    fn names_and_order_are_those_of_the_contract() {
        let flow = FlowReport {
            name: "ftp".into(),
            scheme: Some("reno"),
            is_real: false,
            transport: "tcp",
            from: "s".into(),
            to: "d".into(),
            route_hops: 3,
            goodput_mbps: 1.02,
            delivered_bytes: 25_500_000,
            sent_segments: 26_100,
            retransmissions: 365,
            timeouts: 46,
            fast_recoveries: 310,
            window_cuts: 356,
            spurious_timeouts: 0,
            srtt_ms: None,
            completion_s: Some(1.5),
            classifications: [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [0; 5]],
            notices: [1, 2, 3, 4, 5],
            duplicates: 12,
            lateness: Lateness { notices: 4, late: 3, sum_ns: 6_000_000, timeouts_warned_late: 2 },
        };
        let report = Report {
            duration: Span::from_secs(200),
            warmup: Span::from_millis(2500),
            events: 1_300_000,
            fingerprint: 0xabc,
            flows: vec![flow],
            drops: [1, 2, 3, 4, 5, 6, 7],
            routing: Some(RoutingCounts { requests: 8, replies: 9, errors: 10, link_failures: 11 }),
        };
        assert_eq!(
            document("last-hop", 1, 0, 0.5, &report),
            concat!(
                r#"{"scenario":"last-hop","seed":1,"rep":0,"duration_s":200.0,"warmup_s":2.5,"events":1300000,"#,
                r#""wall_s":0.5,"#,
                r#""fingerprint":"0000000000000abc","flows":[{"name":"ftp","scheme":"reno","transport":"tcp","#,
                r#""from":"s","to":"d","route_hops":3,"goodput_mbps":1.02,"delivered_bytes":25500000,"sent_segments":26100,"#,
                r#""retransmissions":365,"timeouts":46,"fast_recoveries":310,"window_cuts":356,"#,
                r#""spurious_timeouts":0,"srtt_ms":null,"completion_s":1.5,"#,
                r#""notices":{"eln":1,"ersn":2,"ebsn":3,"rttn":4,"nak":5},"#,
                r#""judgements":{"congestion":{"queue":1,"aqm":2,"channel":3,"collision":4,"none":5},"#,
                r#""wireless":{"queue":6,"aqm":7,"channel":8,"collision":9,"none":10},"#,
                r#""undecided":{"queue":0,"aqm":0,"channel":0,"collision":0,"none":0}},"#,
                r#""duplicates":12,"timeouts_warned_late":2,"lateness":{"notices":4,"late":3,"mean_ms":1.5}}],"#,
                r#""drops":{"queue":1,"aqm":2,"channel":3,"collision":4,"retries":5,"agent":6,"route":7},"#,
                r#""routing":{"requests":8,"replies":9,"errors":10,"link_failures":11}}"#,
            )
        );
    }
}
