//! The rules of TCP, a script each: the kernel of this machine follows them all, and Airhop but for those that are named.

use airhop_live::privileges::{Privileges, skip};
use airhop_packetdrill::{Verdict, judge, judge_on_kernel, judge_variants};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Scripts that the kernel is held to at once: each waits for most of its time.
const ON_KERNEL: usize = 8;

/// Returns the scripts that Airhop's sender of preset linux is held to.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tcp/tests/scripts")
}

/// Those that senders of other presets, schemes and recoveries alone are held to: what of it Linux does in a way of its own is not modelled.
fn senders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tcp/tests/senders")
}

/// Returns the scripts below `root`: their names without `.pkt`, and their files.
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
            let name = file.strip_prefix(root).expect("it was found there").with_extension("");
            found.push((name.to_string_lossy().replace('\\', "/"), file));
        }
    }
    found.sort();
    found
}

/// A pass through the whole script with every assertion.
fn is_whole(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Pass { until: None, skipped, .. } if skipped.is_empty())
}

/// Returns the verdicts that are no pass through the whole script with every assertion, by name. So many scripts are judged at once.
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
fn airhop_follows_the_rules() {
    let differing = differing(&scripts(&root()), 1, |file, text| {
        judge(file, text).unwrap_or_else(|error| panic!("{error}"))
    });
    assert!(differing.is_empty(), "{differing:#?}");
}

/// Senders of other presets, schemes and recoveries follow the rules whose scripts name them (`--also`).
#[test]
fn other_senders_follow_the_rules_that_are_theirs() {
    for (name, file) in [scripts(&root()), scripts(&senders())].concat() {
        let text = fs::read_to_string(&file).expect("a script");
        for (variant, verdict) in judge_variants(&file, &text).unwrap_or_else(|error| panic!("{error}")) {
            assert!(is_whole(&verdict), "{name}: {variant}: {verdict:#?}");
        }
    }
}

/// What proves that a script states a rule of Linux. What this user may not is skipped, with the line that the doctor prints for it; with
/// `AIRHOP_LIVE=required` it fails.
#[test]
fn the_kernel_follows_the_rules() {
    if let Err(missing) = Privileges::look().emulation_here() {
        return skip(&missing);
    }
    let judged =
        |file: &Path, text: &str| judge_on_kernel(file, text).unwrap_or_else(|error| panic!("{error}"));
    let all = [scripts(&root()), scripts(&senders())].concat();
    let differing = differing(&all, ON_KERNEL, judged);
    assert!(differing.is_empty(), "{differing:#?}");
    // And it is asked: a window that no kernel has is seen.
    let file = root().join("growth/initial-window.pkt");
    let wrong = fs::read_to_string(&file).expect("a script") + "+0 %{ assert tcpi_snd_cwnd == 999 }%\n";
    assert!(matches!(judged(&file, &wrong), Verdict::Fail { .. }));
}
