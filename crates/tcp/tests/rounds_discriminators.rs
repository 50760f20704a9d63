//! x
mod common;
use airhop_tcp::{Config, Preset};
use common::path::{Path, Transfer};
use common::{MSS, at};
fn rounds(scheme: &str, path: &Path, rounds: u64) -> String {
    let config = Config { initial_ssthresh: 8.0, ..Preset::Ns2.config(MSS) };
    let mut t = Transfer::new(scheme, &config, path.clone(), 10_000);
    t.run_until(at(rounds * 100 - 1));
    let mut out = t.rounds();
    while let Some(j) = t.sender.poll_judgement() {
        out += &format!("\n{:?}", j);
    }
    out
}
#[test]
fn explore() {
    for s in [
        "santa-cruz",
        "jersey",
        "new-jersey",
        "jtcp",
        "tibet",
        "newreno-ff",
        "casablanca",
        "dcr",
        "ideal-bwe",
        "newreno",
    ] {
        println!("== {s} clean\n{}", rounds(s, &Path::of(50), 9));
        println!("== {s} one\n{}", rounds(s, &Path::of(50).losing(&[21]), 10));
        println!("== {s} three\n{}", rounds(s, &Path::of(50).losing(&[20, 22, 24]), 10));
        println!("== {s} window\n{}", rounds(s, &Path::of(50).losing(&[15, 16, 17, 18, 19, 20, 21, 22]), 10));
    }
}
