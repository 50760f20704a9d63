//! Run document: the results of one run as JSON. Field names and field order are stable.

use airhop_base::DropCause;
use airhop_net::{ClassReport, FlowReport, QueueReport, Report, ReportValue, RoutingCounts, StationReport};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Results of one run.
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
    classes: Vec<ClassDocument<'a>>,
    drops: NamedCounts<{ DropCause::ALL.len() }>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<RoutingDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<QueueDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    airtime_jain: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stations: Vec<StationDocument<'a>>,
}

/// Sums of the routing counters over all cells.
#[derive(Serialize)]
struct RoutingDocument {
    requests: u64,
    replies: u64,
    errors: u64,
    link_failures: u64,
}

/// Flow: identifying fields, then the measures in the order of their declaration.
struct FlowDocument<'a>(&'a FlowReport);

impl Serialize for FlowDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let f = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &f.name)?;
        map.serialize_entry("scheme", &f.scheme)?;
        map.serialize_entry("transport", f.transport)?;
        map.serialize_entry("from", &f.from)?;
        map.serialize_entry("to", &f.to)?;
        map.serialize_entry("class", &*f.class)?;
        for (name, value) in f.values() {
            map.serialize_entry(name, &MeasureValue(&value))?;
        }
        map.end()
    }
}

/// Class of flows: its name, and its measures in the order of their declaration.
struct ClassDocument<'a>(&'a ClassReport);

impl Serialize for ClassDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &*self.0.name)?;
        for (name, value) in self.0.values() {
            map.serialize_entry(name, &MeasureValue(&value))?;
        }
        map.end()
    }
}

/// Queue: its name, and its measures in the order of their declaration.
struct QueueDocument<'a>(&'a QueueReport);

impl Serialize for QueueDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.0.name)?;
        for (name, value) in self.0.values() {
            map.serialize_entry(name, &MeasureValue(&value))?;
        }
        map.end()
    }
}

/// Station: its cell, its name, and its measures in the order of their declaration.
struct StationDocument<'a>(&'a StationReport);

impl Serialize for StationDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cell", &self.0.cell)?;
        map.serialize_entry("name", &self.0.name)?;
        for (name, value) in self.0.values() {
            map.serialize_entry(name, &MeasureValue(&value))?;
        }
        map.end()
    }
}

/// Value of a measure, serialised as JSON.
struct MeasureValue<'a>(&'a ReportValue);

impl Serialize for MeasureValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ReportValue::Null => serializer.serialize_none(),
            ReportValue::Count(count) => serializer.serialize_u64(*count),
            ReportValue::Real(number) => serializer.serialize_f64(*number),
            ReportValue::Group(values) => {
                serializer.collect_map(values.iter().map(|(key, value)| (key, MeasureValue(value))))
            }
        }
    }
}

/// Counters by name, in a fixed order.
struct NamedCounts<const N: usize>([(&'static str, u64); N]);

impl<const N: usize> Serialize for NamedCounts<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(N))?;
        for (name, count) in &self.0 {
            map.serialize_entry(name, count)?;
        }
        map.end()
    }
}

/// Returns the run document of `report`. `wall_s` is the wall-clock time of the run in seconds.
pub(crate) fn run_document(scenario: &str, seed: u64, rep: u64, wall_s: f64, report: &Report) -> String {
    let document = Document {
        scenario,
        seed,
        rep,
        duration_s: report.duration.secs_f64(),
        warmup_s: report.warmup.secs_f64(),
        events: report.events,
        wall_s,
        fingerprint: format!("{:016x}", report.fingerprint),
        flows: report.flows.iter().map(FlowDocument).collect(),
        classes: report.classes.iter().map(ClassDocument).collect(),
        drops: NamedCounts(std::array::from_fn(|i| (DropCause::ALL[i].name(), report.drops[i]))),
        routing: report.routing.map(routing),
        queues: report.queues.iter().map(QueueDocument).collect(),
        airtime_jain: report.airtime_jain(),
        stations: report.stations.iter().map(StationDocument).collect(),
    };
    serde_json::to_string(&document).expect("numbers and strings are JSON")
}

fn routing(counts: RoutingCounts) -> RoutingDocument {
    let RoutingCounts { requests, replies, errors, link_failures } = counts;
    RoutingDocument { requests, replies, errors, link_failures }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;
    use airhop_net::apps::{GameQuality, Punctuality, Quality, VideoQuality};
    use airhop_net::{
        ClassQuality, CompletionSummary, ConnectionCounts, DelaySummary, EcnCounts, NoticeLateness,
        RttSummary, SojournSummary,
    };

    #[test]
    fn run_document_names_and_order_match_the_contract() {
        let flow = FlowReport {
            name: "ftp".into(),
            scheme: Some("reno"),
            is_real: false,
            transport: "tcp",
            from: "s".into(),
            to: "d".into(),
            class: "bulk down".into(),
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
            judgements: [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [0; 5]],
            notices: [1, 2, 3, 4, 5],
            duplicates: 12,
            timeouts_warned_late: 2,
            lateness: NoticeLateness { notices: 4, late_notices: 3, sum_ns: 6_000_000 },
            active_mbps: Some(1.25),
            loss: Some(0.5),
            delay_ms: Some(DelaySummary {
                min_ms: 1.5,
                mean_ms: 2.5,
                p50_ms: 2.0,
                p95_ms: 4.0,
                p99_ms: 4.5,
                max_ms: 5.0,
            }),
            jitter_ms: None,
            marks: EcnCounts { ect0: 25_000, ect1: 1, ce: 40, ece: 55 },
            rtt_ms: RttSummary(Some(DelaySummary {
                min_ms: 10.0,
                mean_ms: 12.0,
                p50_ms: 11.0,
                p95_ms: 14.0,
                p99_ms: 15.0,
                max_ms: 20.0,
            })),
            completion_ms: Some(CompletionSummary {
                count: 2,
                unfinished: 1,
                times: Some(DelaySummary {
                    min_ms: 1.5,
                    mean_ms: 2.5,
                    p50_ms: 2.0,
                    p95_ms: 4.0,
                    p99_ms: 4.5,
                    max_ms: 5.0,
                }),
            }),
            connections: Some(ConnectionCounts { opened: 3, closed: 2, time_wait: 1 }),
            quality: Some(Quality::Video(VideoQuality {
                startup_delay: Some(Span::from_millis(1500)),
                stalls: 2,
                stalled_time: Span::from_secs(4),
                played_time: Span::from_secs(12),
                played_bits: 30_000_000 * 1_000_000_000,
                bitrate_switches: 3,
                downloaded_segments: 5,
            })),
        };
        let report = Report {
            duration: Span::from_secs(200),
            warmup: Span::from_millis(2500),
            events: 1_300_000,
            fingerprint: 0xabc,
            flows: vec![flow],
            classes: vec![ClassReport {
                name: "bulk down".into(),
                flows: 1,
                goodput_mbps: 1.02,
                jain: Some(1.0),
                delay_ms: Some(DelaySummary {
                    min_ms: 1.5,
                    mean_ms: 2.5,
                    p50_ms: 2.0,
                    p95_ms: 4.0,
                    p99_ms: 4.5,
                    max_ms: 5.0,
                }),
                completion_ms: None,
                quality: ClassQuality::default(),
            }],
            drops: [1, 2, 3, 4, 5, 6, 7],
            routing: Some(RoutingCounts { requests: 8, replies: 9, errors: 10, link_failures: 11 }),
            queues: vec![QueueReport {
                name: "r->d".into(),
                wait_ms: SojournSummary(Some(DelaySummary {
                    min_ms: 0.0,
                    mean_ms: 2.5,
                    p50_ms: 2.0,
                    p95_ms: 4.0,
                    p99_ms: 4.5,
                    max_ms: 5.0,
                })),
                marked: Some(40),
            }],
            stations: [("bs", 0.75), ("d", 0.25)]
                .map(|(name, airtime)| StationReport { cell: "cell".into(), name: name.into(), airtime })
                .into(),
        };
        assert_eq!(
            run_document("last-hop", 1, 0, 0.5, &report),
            concat!(
                r#"{"scenario":"last-hop","seed":1,"rep":0,"duration_s":200.0,"warmup_s":2.5,"events":1300000,"#,
                r#""wall_s":0.5,"#,
                r#""fingerprint":"0000000000000abc","flows":[{"name":"ftp","scheme":"reno","transport":"tcp","#,
                r#""from":"s","to":"d","class":"bulk down","route_hops":3,"goodput_mbps":1.02,"delivered_bytes":25500000,"sent_segments":26100,"#,
                r#""retransmissions":365,"timeouts":46,"fast_recoveries":310,"window_cuts":356,"#,
                r#""spurious_timeouts":0,"srtt_ms":null,"completion_s":1.5,"#,
                r#""notices":{"eln":1,"ersn":2,"ebsn":3,"rttn":4,"nak":5},"#,
                r#""judgements":{"congestion":{"queue":1,"aqm":2,"channel":3,"collision":4,"none":5},"#,
                r#""wireless":{"queue":6,"aqm":7,"channel":8,"collision":9,"none":10},"#,
                r#""undecided":{"queue":0,"aqm":0,"channel":0,"collision":0,"none":0}},"#,
                r#""duplicates":12,"timeouts_warned_late":2,"lateness":{"notices":4,"late":3,"mean_ms":1.5},"#,
                r#""active_mbps":1.25,"loss":0.5,"delay_ms":{"mean":2.5,"p50":2.0,"p95":4.0,"p99":4.5,"max":5.0},"#,
                r#""jitter_ms":null,"marks":{"ect0":25000,"ect1":1,"ce":40,"ece":55},"#,
                r#""rtt_ms":{"min":10.0,"p50":11.0,"p95":14.0,"p99":15.0},"#,
                r#""completion_ms":{"count":2,"unfinished":1,"mean":2.5,"p50":2.0,"p95":4.0,"p99":4.5},"#,
                r#""connections":{"opened":3,"closed":2,"time_wait":1},"#,
                r#""video":{"startup_s":1.5,"stalls":2,"stalled_s":4.0,"stalled_pct":25.0,"played_s":12.0,"#,
                r#""bitrate_mbps":2.5,"switches":3,"segments":5}}],"#,
                r#""classes":[{"name":"bulk down","flows":1,"goodput_mbps":1.02,"jain":1.0,"#,
                r#""delay_ms":{"mean":2.5,"p50":2.0,"p95":4.0,"p99":4.5,"max":5.0},"completion_ms":null}],"#,
                r#""drops":{"queue":1,"aqm":2,"channel":3,"collision":4,"retries":5,"agent":6,"route":7},"#,
                r#""routing":{"requests":8,"replies":9,"errors":10,"link_failures":11},"#,
                r#""queues":[{"name":"r->d","wait_ms":{"mean":2.5,"p50":2.0,"p95":4.0,"p99":4.5},"marked":40}],"#,
                r#""airtime_jain":0.8,"stations":[{"cell":"cell","name":"bs","airtime":0.75},"#,
                r#"{"cell":"cell","name":"d","airtime":0.25}]}"#,
            )
        );
    }
    // A quality has an object of its own, named after the kind of application, in its flow and in its class.
    // Other flows and classes have no such object.
    #[test]
    fn a_quality_has_an_object_of_its_kind() {
        let packets = Punctuality { in_time: 3, late: 1, lost: 0, miss_bursts: 1 };
        let quality = Quality::Game(GameQuality { punctuality: packets });
        let flow = FlowReport { quality: Some(quality), ..FlowReport::default() };
        let class = ClassReport { quality: ClassQuality(vec![quality]), ..ClassReport::default() };
        let game = r#""game":{"in_time":3,"late":1,"lost":0,"late_pct":25.0,"lost_pct":0.0}"#;
        let written = [
            serde_json::to_string(&FlowDocument(&flow)).unwrap(),
            serde_json::to_string(&ClassDocument(&class)).unwrap(),
        ];
        assert!(written.iter().all(|text| text.ends_with(&format!(",{game}}}"))), "{written:?}");
        assert!(!serde_json::to_string(&FlowDocument(&FlowReport::default())).unwrap().contains("quality"));
    }
}
