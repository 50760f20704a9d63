//! The log: what is written is read, what is cut is read up to there, and nothing that is read is believed.

use crate::wire::{ENDS, Wire, datagram};
use airhop_base::{Span, Time};
use airhop_live::log::{Ending, Entry, Log, LogError, MAGIC, VERSION, Writer};
use airhop_live::replay;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("airhop-live-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_micros(us)
}

/// The bytes of a log of two datagrams and its end.
fn written(test: &str, headers_only: bool) -> Vec<u8> {
    let folder = Folder::new(test);
    let path = folder.file("log");
    let mut writer = Writer::create(&path, "{\"name\":\"é\"}", headers_only).unwrap();
    writer.append(at(5), ENDS[0], &datagram(1, 100, false)).unwrap();
    writer.flush().unwrap();
    writer.append(at(5), ENDS[1], &datagram(2, 60, false)).unwrap();
    writer.end(at(9)).unwrap();
    std::fs::read(path).unwrap()
}

fn read(bytes: &[u8]) -> Result<(Vec<Entry>, Ending), LogError> {
    let mut log = Log::read(Path::new("a.log"), bytes)?;
    let entries = log.by_ref().collect::<Result<_, _>>()?;
    Ok((entries, log.ending()))
}

#[test]
fn what_is_written_is_read() {
    let bytes = written("read", false);
    assert_eq!(Log::read(Path::new("a.log"), &bytes[..]).unwrap().header(), "{\"name\":\"é\"}");
    let (entries, ending) = read(&bytes).unwrap();
    let expected = [(ENDS[0], datagram(1, 100, false)), (ENDS[1], datagram(2, 60, false))];
    let expected = expected.map(|(node, kept)| Entry { at: at(5), node, length: kept.len(), kept });
    assert_eq!((entries, ending), (expected.to_vec(), Ending::Complete(at(9))));
}

/// Payload is private: with headers only, none is in the file; its length is.
#[test]
fn headers_only_keeps_no_payload() {
    let bytes = written("headers", true);
    assert!(Log::read(Path::new("a.log"), &bytes[..]).unwrap().headers_only());
    let (entries, _) = read(&bytes).unwrap();
    assert_eq!(
        entries.iter().map(|entry| (entry.length, entry.kept.len())).collect::<Vec<_>>(),
        [(100, 20), (60, 20)]
    );
    let mut wire = Wire::new(Span::ZERO);
    let log = Log::read(Path::new("a.log"), &bytes[..]);
    replay(&mut wire, &mut log.unwrap()).unwrap();
    assert_eq!(wire.entered.iter().map(|(.., bytes)| bytes.len()).collect::<Vec<_>>(), [100, 60]);
}

/// A killed emulator leaves a log that ends anywhere. What is whole is read, and the log says that it was cut.
#[test]
fn a_log_cut_short_is_read_up_to_there() {
    let bytes = written("cut", false);
    let (all, _) = read(&bytes).unwrap();
    let head = MAGIC.len() + 2 + 1 + 4 + "{\"name\":\"é\"}".len();
    let record = |length: usize| 1 + 8 + 2 + 4 + 4 + length;
    for end in head..bytes.len() {
        let (entries, ending) = read(&bytes[..end]).unwrap();
        let whole =
            usize::from(end >= head + record(100)) + usize::from(end >= head + record(100) + record(60));
        assert_eq!(entries, all[..whole]);
        assert_eq!(ending, Ending::Cut { last: if whole > 0 { at(5) } else { Time::ZERO } });
    }
    for end in 0..head {
        assert!(read(&bytes[..end]).unwrap_err().to_string().starts_with("a.log: byte "));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let good = written("wrong", false);
    let head = good.len() - (1 + 8) - (19 + 60) - (19 + 100);
    let wrong = |offset: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[offset] = value;
        read(&bytes).unwrap_err().to_string()
    };
    assert_eq!(wrong(0, b'B'), "a.log: byte 0: expected a log of airhop emulate, which begins with AIRHOPLG");
    assert_eq!(wrong(8, 2), format!("a.log: byte 8: expected version {VERSION} of the log, not version 2"));
    assert_eq!(wrong(10, 2), "a.log: byte 10: expected flags 0 or 1");
    assert_eq!(wrong(head, 7), format!("a.log: byte {head}: expected a record of kind 1 or 2, not 7"));
    // The first datagram has 100 bytes: the length kept cannot be more.
    assert!(wrong(head + 15, 101).contains(&format!("byte {}: expected a datagram", head + 11)));
    // The second is made to enter before the first.
    assert!(wrong(head + 119 + 2, 0).contains("expected a time not before 0.000005000 s"));
    let nowhere = Log::open(Path::new("/nonexistent/a.log")).unwrap_err().to_string();
    assert!(nowhere.starts_with("/nonexistent/a.log: "), "{nowhere}");
}

/// A disk that is full ends the run, and the message names the file.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let mut writer = Writer::create(Path::new("/dev/full"), "", false).unwrap();
    writer.append(at(1), ENDS[0], &datagram(1, 100, false)).unwrap();
    let error = writer.end(at(2)).unwrap_err().to_string();
    assert!(error.starts_with("/dev/full: No space left"), "{error}");
}

proptest! {
    /// Arbitrary bytes, and a log with arbitrary changes: an error or entries, never a panic, never more than is there.
    #[test]
    fn nothing_in_a_log_is_believed(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let _ = read(&bytes);
        let mut log = LOG.clone();
        for (place, value) in changes {
            let place = place.index(log.len());
            log[place] = value;
        }
        if let Ok((entries, _)) = read(&log) {
            let kept: usize = entries.iter().map(|entry| entry.kept.capacity()).sum();
            prop_assert!(kept <= 2 * log.len() + 64 * entries.len(), "{kept} bytes of {}", log.len());
        }
    }
}

static LOG: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| written("believed", false));
