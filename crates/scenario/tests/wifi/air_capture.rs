//! Golden file of a capture of a cell: all its bytes are compared.

use super::good;
use airhop_scenario::{RecordingOptions, Run};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the cell with these changes and returns the path of its capture.
fn capture(folder: &str, sets: &[(&str, &str)]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let run = Run { scenario: Arc::new(good(sets)), seed: 1, rep: 0 };
    let recording = RecordingOptions { tables: false, pcap_dir: Some(dir.clone()) };
    run.execute(&recording, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    dir.join("cell.air.pcapng")
}

/// Returns the blocks after the section header, which is left out because it contains the version. Each line
/// has 16 bytes in hexadecimal digits, and each block begins with an empty line.
fn blocks(mut file: &[u8]) -> String {
    let mut lines = String::new();
    while let Some(length) = file.get(4..8) {
        let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        let (block, rest) = file.split_at(length);
        if block[0] != 0x0A {
            lines.push('\n');
        }
        for line in block.chunks(16).filter(|_| block[0] != 0x0A) {
            let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(lines, "{}", digits.join(" ")).expect("a string");
        }
        file = rest;
    }
    lines
}

/// Datagrams of 20 bytes over 802.11n arrive faster than a Block Ack window of 4 MPDUs permits. The capture
/// contains A-MPDUs with lost MPDUs, their BlockAcks, and retransmissions.
#[test]
fn the_capture_of_a_tiny_cell_matches_its_golden_file() {
    let path = capture(
        "golden",
        &[
            ("duration", "1 ms"),
            ("wlan.cell.standard", "802.11n"),
            ("wlan.cell.aggregation.frames", "4"),
            ("wlan.cell.errors.kind", "bernoulli"),
            ("wlan.cell.errors.loss", "0.2"),
            ("flow.up.segment", "20 B"),
            ("flow.up.app.rate", "4 Mbit/s"),
        ],
    );
    insta::assert_snapshot!(blocks(&std::fs::read(path).expect("a capture")));
}
