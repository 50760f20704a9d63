//! The rules of TCP, one script each: the kernel of this machine follows all rules, and Airhop follows all
//! except the listed rules.

use airhop_live::privileges::{Privileges, skip_test};
use airhop_packetdrill::{Verdict, check_on_kernel, check_script, check_variants};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of scripts that run on the kernel simultaneously, because each script mostly waits.
const ON_KERNEL: usize = 8;

/// Returns the folder of scripts that test Airhop's sender of preset linux.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tcp/tests/scripts")
}

/// Returns the folder of scripts that test only senders of other presets, schemes and recoveries, because
/// Linux deviates from these rules in ways that are not modelled.
fn senders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tcp/tests/senders")
}

/// Returns the scripts below `root`: names without `.pkt`, and files.
fn scripts(root: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let folders =
        fs::read_dir(root).expect("a folder of scripts").map(|entry| entry.expect("an entry").path());
    for folder in folders.filter(|path| path.is_dir()) {
        for file in fs::read_dir(folder).expect("a folder") {
            let file = file.expect("a file").path();
            if file.extension().is_none_or(|extension| extension != "pkt") {
                continue; // scripts in Rust, and transcripts
            }
            let name = file.strip_prefix(root).expect("the file exists").with_extension("");
            found.push((name.to_string_lossy().replace('\\', "/"), file));
        }
    }
    found.sort();
    found
}

/// True if the whole script passes, with every assertion.
fn is_whole(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Pass { until: None, skipped, .. } if skipped.is_empty())
}

/// Returns, by name, the verdicts of scripts that do not pass as a whole with every assertion. `at_once`
/// scripts run in parallel.
fn differing(
    scripts: &[(String, PathBuf)],
    at_once: usize,
    judge: impl Fn(&Path, &str) -> Verdict + Sync,
) -> Vec<(String, Verdict)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut differing = Vec::new();
        while let Some((name, file)) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let text = fs::read_to_string(file).expect("a script");
            let verdict = judge(file, &text);
            if !is_whole(&verdict) {
                differing.push((name.clone(), verdict));
            }
        }
        differing
    };
    let mut all: Vec<(String, Verdict)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a verdict for each")).collect()
    });
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    all
}

#[test]
fn airhop_passes_every_script() {
    let differing = differing(&scripts(&root()), 1, |file, text| {
        check_script(file, text).unwrap_or_else(|error| panic!("{error}"))
    });
    assert!(differing.is_empty(), "{differing:#?}");
}

/// Senders of other presets, schemes and recoveries follow the rules whose scripts name these senders
/// (`--also`).
#[test]
fn other_senders_pass_the_scripts_that_name_them() {
    for (name, file) in [scripts(&root()), scripts(&senders())].concat() {
        let text = fs::read_to_string(&file).expect("a script");
        for (variant, verdict) in check_variants(&file, &text).unwrap_or_else(|error| panic!("{error}")) {
            assert!(is_whole(&verdict), "{name}: {variant}: {verdict:#?}");
        }
    }
}

/// The kernel passes each script, which proves that the script states a rule of Linux. If the user lacks a
/// privilege, the test is skipped and prints the line of `airhop doctor` about the privilege; with
/// `AIRHOP_LIVE=required` the test fails.
#[test]
fn the_linux_kernel_passes_every_script() {
    if let Err(missing) = Privileges::detect().check_emulation_here() {
        return skip_test(&missing);
    }
    let judged =
        |file: &Path, text: &str| check_on_kernel(file, text).unwrap_or_else(|error| panic!("{error}"));
    let all = [scripts(&root()), scripts(&senders())].concat();
    let differing = differing(&all, ON_KERNEL, judged);
    assert!(differing.is_empty(), "{differing:#?}");
    // The comparison with the kernel is effective: it detects a window that no kernel has.
    let file = root().join("growth/initial-window.pkt");
    let wrong = fs::read_to_string(&file).expect("a script") + "+0 %{ assert tcpi_snd_cwnd == 999 }%\n";
    assert!(matches!(judged(&file, &wrong), Verdict::Fail { .. }));
}
