//! Senders with notices enabled (`Config::notice_reaction`) that receive none behave as senders without notices, for
//! any losses and delays.

use crate::common;
use crate::common::path::{Fate, Observer, Path, Sent, Transfer};
use crate::common::{MSS, byte};
use airhop_base::{Segment, Span, Time};
use airhop_tcp::seams::Window;
use airhop_tcp::{Config, Counters, NoticeHandling, Preset, SCHEMES, Sender};

/// State of the sender after each ACK and each timeout: window, flight, and time of its next timer.
#[derive(Default)]
struct Course(Vec<(Window, u64, Option<Time>)>);

impl Observer for Course {
    fn processed(&mut self, sender: &Sender) {
        self.0.push((sender.window(), sender.in_flight(), sender.poll_timeout()));
    }

    fn expired(&mut self, sender: &Sender) {
        self.processed(sender);
    }

    fn sent(&mut self, _: &airhop_tcp::SenderState, _: &Segment, sender: &Sender) {
        self.processed(sender);
    }
}

/// Number of segments of a transfer.
const SEGMENTS: u64 = 240;

/// Returns a path with single losses, several losses in a window, a lost retransmission, reordered segments,
/// half a second in which all segments are late, and losses of the last segments.
fn path() -> Path {
    let ms = Span::from_millis;
    let mut path = Path::of(50).losing(&[20, 40, 42, 43, 90, SEGMENTS]).with(40, 2, Fate::Lost);
    for late in [60, 110, 130] {
        path = path.with(late, 1, Fate::Late(ms(40)));
    }
    path.acks.extend((150..170).map(|ack| (ack, Fate::Late(ms(500)))));
    path
}

fn course(scheme: &'static str, config: &Config) -> (Vec<Sent>, Course, Counters) {
    let sender = common::sender(scheme, &[], config);
    let mut t = Transfer::watched(sender, scheme, config, path(), byte(SEGMENTS + 1) - 1, Course::default());
    t.run_until(Time::ZERO + Span::from_secs(100));
    assert_eq!(t.receiver.delivered_bytes(), SEGMENTS * u64::from(MSS), "{scheme}");
    (t.log, t.observer, *t.sender.counters())
}

#[test]
fn an_ignored_notice_does_not_change_the_sender() {
    for scheme in SCHEMES {
        for preset in [Preset::Ns2, Preset::Rfc, Preset::Linux] {
            let config = Config { notice_reaction: NoticeHandling::Ignored, ..preset.config(MSS) };
            let (log, before, counters) = course(scheme.name, &config);
            let (told_log, told, told_counters) =
                course(scheme.name, &Config { notice_reaction: NoticeHandling::Elsn, ..config });
            let differs = log.iter().zip(&told_log).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{} {preset:?}", scheme.name);
            let differs = before.0.iter().zip(&told.0).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{} {preset:?}", scheme.name);
            assert_eq!((log.len(), before.0.len()), (told_log.len(), told.0.len()));
            assert_eq!(counters, told_counters, "{} {preset:?}", scheme.name);
        }
    }
}
