//! Log of a run: complete logs are read, truncated logs are read up to the truncation, and invalid contents
//! are refused.

use crate::wire::{ENDS, Wire, datagram};
use airhop_base::{NodeId, Span, Time};
use airhop_live::log::{LogEnding, LogError, LogReader, LogWriter, LoggedDatagram, MAGIC, VERSION};
use airhop_live::replay;
use airhop_live::sockets::{ConnectionSample, SocketInfo};
use proptest::prelude::*;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Folder of a test, which is deleted after the test.
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

/// Head of every log in these tests.
const HEADER: &str = "{\"name\":\"é\"}";
/// Length of the head, bytes: magic, version, flags, length of the header, the header, checksum.
const HEAD: usize = MAGIC.len() + 2 + 1 + 4 + HEADER.len() + 4;
/// Length of the end record, bytes: kind, time, checksum.
const END: usize = 1 + 8 + 4;

/// Returns the length of a datagram record, bytes: kind, time, node, two lengths, checksum; the kept bytes,
/// checksum.
const fn record(kept: usize) -> usize {
    1 + 8 + 2 + 4 + 4 + 4 + kept + 4
}

/// In-memory file.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<Vec<u8>>>);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the bytes of a log with two datagrams and an end record.
fn written(headers_only: bool) -> Vec<u8> {
    let disk = Disk::default();
    let mut writer = LogWriter::with_sink(Path::new("a.log"), disk.clone(), HEADER, headers_only).unwrap();
    writer.append(at(5), ENDS[0], &datagram(1, 100, false)).unwrap();
    writer.flush().unwrap();
    writer.append(at(5), ENDS[1], &datagram(2, 60, false)).unwrap();
    writer.finish(at(9)).unwrap();
    disk.0.lock().unwrap().clone()
}

/// Returns the log of [`written`] in version 1 of the format, which has no checksums.
fn version_1() -> Vec<u8> {
    let bytes = written(false);
    let mut old = bytes[..HEAD - 4].to_vec();
    old[8..10].copy_from_slice(&1u16.to_le_bytes());
    for (begin, kept) in [(HEAD, 100), (HEAD + record(100), 60)] {
        old.extend_from_slice(&bytes[begin..begin + 19]);
        old.extend_from_slice(&bytes[begin + 23..begin + 23 + kept]);
    }
    old.extend_from_slice(&bytes[bytes.len() - END..bytes.len() - 4]);
    old
}

fn read(bytes: &[u8]) -> Result<(Vec<LoggedDatagram>, LogEnding), LogError> {
    let mut log = LogReader::from_reader(Path::new("a.log"), bytes)?;
    let entries = log.by_ref().collect::<Result<_, _>>()?;
    Ok((entries, log.ending()))
}

#[test]
fn a_written_log_reads_back_unchanged() {
    let expected = [(ENDS[0], datagram(1, 100, false)), (ENDS[1], datagram(2, 60, false))];
    let expected =
        expected.map(|(node, kept)| LoggedDatagram { at: at(5), node, length: kept.len(), kept_bytes: kept });
    for (bytes, version) in [(written(false), VERSION), (version_1(), 1)] {
        let log = LogReader::from_reader(Path::new("a.log"), &bytes[..]).unwrap();
        assert_eq!((log.header(), log.version()), (HEADER, version));
        let (entries, ending) = read(&bytes).unwrap();
        assert_eq!((entries, ending), (expected.to_vec(), LogEnding::Complete(at(9))));
    }
}

/// Records of TCP_INFO are stored between the datagrams, and may be older than the datagram before them. They
/// do not change a replay. A record for a node without a host is an error, as it is for a datagram.
#[test]
fn tcp_info_records_do_not_change_a_replay() {
    let info = SocketInfo {
        local: "10.0.0.1:40000".parse().unwrap(),
        peer: "10.0.0.4:5201".parse().unwrap(),
        congestion_control: "bbr".into(),
        ca_state: 0,
        cwnd: 10,
        ssthresh: None,
        srtt_us: 70_000,
        retransmits: 0,
    };
    let sampled = ConnectionSample { at: at(3), node: ENDS[0], info };
    let disk = Disk::default();
    let mut writer = LogWriter::with_sink(Path::new("a.log"), disk.clone(), HEADER, false).unwrap();
    writer.append(at(5), ENDS[0], &datagram(1, 100, false)).unwrap();
    writer.append_sample(&sampled);
    writer.append(at(5), ENDS[1], &datagram(2, 60, false)).unwrap();
    writer.finish(at(9)).unwrap();
    let bytes = disk.0.lock().unwrap().clone();
    assert_eq!(read(&bytes).unwrap(), read(&written(false)).unwrap());
    let mut log = LogReader::from_reader(Path::new("a.log"), &bytes[..]).unwrap();
    assert_eq!(log.by_ref().count(), 2);
    assert_eq!(log.samples(), [sampled]);
    let mut of_others = LogReader::from_reader(Path::new("a.log"), &bytes[..])
        .unwrap()
        .with_bounds([ENDS[1]], Span::from_secs(1));
    assert!(of_others.next().unwrap().is_err());
    let begin = HEAD + record(100);
    for bit in 8 * begin..8 * (bytes.len() - END - record(60)) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged).is_err(), "bit {} of byte {} of the sample", bit % 8, bit / 8 - begin);
    }
}

/// The payload of datagrams is private: a log with headers only contains its length but not its bytes.
#[test]
fn a_log_with_headers_only_contains_no_payload() {
    let bytes = written(true);
    assert!(LogReader::from_reader(Path::new("a.log"), &bytes[..]).unwrap().headers_only());
    let (entries, _) = read(&bytes).unwrap();
    assert_eq!(
        entries.iter().map(|entry| (entry.length, entry.kept_bytes.len())).collect::<Vec<_>>(),
        [(100, 20), (60, 20)]
    );
    let mut wire = Wire::new(Span::ZERO);
    let log = LogReader::from_reader(Path::new("a.log"), &bytes[..]);
    replay(&mut wire, &mut log.unwrap()).unwrap();
    assert_eq!(wire.entered.iter().map(|(.., bytes)| bytes.len()).collect::<Vec<_>>(), [100, 60]);
}

/// If an emulator is killed, its log may end at any byte. All complete records are read, and the reader
/// reports the truncation.
#[test]
fn a_truncated_log_is_read_up_to_its_last_complete_record() {
    let bytes = written(false);
    let (all, _) = read(&bytes).unwrap();
    for end in HEAD..bytes.len() {
        let (entries, ending) = read(&bytes[..end]).unwrap();
        let whole =
            usize::from(end >= HEAD + record(100)) + usize::from(end >= HEAD + record(100) + record(60));
        assert_eq!(entries, all[..whole]);
        assert_eq!(ending, LogEnding::Cut { last: if whole > 0 { at(5) } else { Time::ZERO } });
    }
    for end in 0..HEAD {
        assert!(read(&bytes[..end]).unwrap_err().to_string().starts_with("a.log: byte "));
    }
}

/// A log with any single bit changed, or with a byte after its end, is an error.
#[test]
fn any_flipped_bit_in_a_log_is_an_error() {
    let good = written(false);
    for bit in 0..8 * good.len() {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = read(&bytes).expect_err("a flipped bit").to_string();
        let record = match bit / 8 {
            ..HEAD => "",
            place if place < HEAD + record(100) => "record 1, ",
            place if place < HEAD + record(100) + record(60) => "record 2, ",
            _ => "record 3, ",
        };
        assert!(error.starts_with(&format!("a.log: {record}byte ")), "bit {bit}: {error}");
    }
    let longer = read(&[&good[..], &[0]].concat()).unwrap_err().to_string();
    assert!(longer.ends_with("expected no data after the end of the run"), "{longer}");
}

/// Valid records in another order, repeated, or copied from another log are an error.
#[test]
fn reordered_or_duplicated_log_records_are_an_error() {
    let good = written(false);
    let (head, rest) = good.split_at(HEAD);
    let (first, rest) = rest.split_at(record(100));
    let (second, end) = rest.split_at(record(60));
    for (wrong, place) in [
        ([head, second, first, end].concat(), 1),
        ([head, first, first, second, end].concat(), 2),
        ([head, second, end].concat(), 1),
        ([head, first, end].concat(), 2),
        ([head, end].concat(), 1),
        ([&written(true)[..HEAD], first, second, end].concat(), 1),
    ] {
        let error = read(&wrong).unwrap_err().to_string();
        assert!(error.contains(&format!("record {place}, ")) && error.contains("checksum"), "{error}");
    }
}

/// A forged log may contain records that no run writes, for example for a node without a host, or outside the
/// time of the run.
#[test]
fn a_log_record_that_no_run_can_write_is_refused() {
    let bytes = written(false);
    let error = |nodes: &[NodeId], us| {
        let log = LogReader::from_reader(Path::new("a.log"), &bytes[..]).unwrap();
        let mut log = log.with_bounds(nodes.iter().copied(), Span::from_micros(us));
        log.find_map(Result::err).map(|error| error.to_string())
    };
    assert_eq!(error(&ENDS, 9), None);
    let node = error(&ENDS[..1], 9).unwrap();
    assert!(node.contains("record 2, ") && node.ends_with("a node with a real host (0), not 1"), "{node}");
    assert!(error(&ENDS, 4).unwrap().contains("record 1, "));
    let end = error(&ENDS, 8).unwrap();
    assert!(end.contains("record 3, ") && end.contains("the duration of the scenario"), "{end}");
}

#[test]
fn a_log_error_names_its_byte_offset() {
    let good = version_1();
    let head = HEAD - 4;
    let wrong = |offset: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[offset] = value;
        read(&bytes).unwrap_err().to_string()
    };
    assert_eq!(wrong(0, b'B'), "a.log: byte 0: expected a log of airhop emulate, which begins with AIRHOPLG");
    assert_eq!(
        wrong(8, 3),
        format!("a.log: byte 8: expected version 1 to {VERSION} of the log, not version 3")
    );
    assert_eq!(wrong(10, 2), "a.log: byte 10: expected flags 0 or 1");
    assert_eq!(
        wrong(head, 7),
        format!("a.log: record 1, byte {head}: expected a record of kind 1, 2 or 4, not 7")
    );
    // The stored length is one byte more than the length of the first datagram, 100 bytes.
    assert!(wrong(head + 15, 101).contains(&format!("byte {}: expected a datagram", head + 11)));
    // The second datagram would enter before the first.
    assert!(wrong(head + 119 + 2, 0).contains("expected a time not before 0.000005000 s"));
    let nowhere = LogReader::open(Path::new("/nonexistent/a.log")).unwrap_err().to_string();
    assert!(nowhere.starts_with("/nonexistent/a.log: "), "{nowhere}");
}

/// If the disk is full, the run ends with an error that names the file.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut writer = LogWriter::with_sink(Path::new("a.log"), full, "", false).unwrap();
    writer.append(at(1), ENDS[0], &datagram(1, 100, false)).unwrap();
    let error = writer.finish(at(2)).unwrap_err().to_string();
    assert!(error.starts_with("a.log: No space left"), "{error}");
}

/// Two emulations cannot write to the same log. A pipe is refused, because it may have no reader. An existing
/// file is emptied at once.
#[cfg(target_os = "linux")]
#[test]
fn a_log_is_a_regular_file_of_one_writer() {
    let folder = Folder::new("one");
    let path = folder.file("log");
    let refused = |path: &Path| LogWriter::create(path, "", false).unwrap_err().to_string();
    std::fs::write(&path, [7; 10_000]).unwrap();
    let mut writer = LogWriter::create(&path, HEADER, false).unwrap();
    assert!(refused(&path).ends_with("log: another emulation is writing its log there"));
    writer.append(at(5), ENDS[0], &datagram(1, 100, false)).unwrap();
    writer.finish(at(9)).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), (HEAD + record(100) + END) as u64);
    LogWriter::create(&path, HEADER, false).expect("the first has ended");
    let pipe = folder.file("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for path in [&pipe, Path::new("/dev/full"), Path::new("/")] {
        assert!(refused(path).ends_with("expected a regular file for the log"));
    }
}

proptest! {
    /// Arbitrary bytes, and a log of version 1 with arbitrary changes, are either read as entries or refused
    /// with an error. They never cause a panic, and the reader never returns more data than the file
    /// contains.
    #[test]
    fn arbitrary_log_bytes_cause_an_error_but_no_panic(
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
            let kept: usize = entries.iter().map(|entry| entry.kept_bytes.capacity()).sum();
            prop_assert!(kept <= 2 * log.len() + 64 * entries.len(), "{kept} bytes of {}", log.len());
        }
    }
}

static LOG: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(version_1);
