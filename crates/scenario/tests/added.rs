//! Congestion controls that are added at run time: the catalogue lists them like all others, and an error
//! names the run in which they fail.

use airhop_base::Notice;
use airhop_scenario::{
    NewScheme, Overrides, RecordingOptions, Run, RunError, Scenario, schema_json, schemes_json,
};
use airhop_tcp::seams::{Ack, CongestionControl, Loss, LossClass, NoticePolicy, NoticeReaction, Window};
use airhop_tcp::{PolicyFault, SenderState};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const LAST_HOP: &str = include_str!("data/last-hop.toml");

/// Reaction of [`Stub`] to its first loss.
#[derive(Clone, Copy, Debug)]
enum AtLoss {
    Halves,
    Faults,
    Panics,
}

#[derive(Debug)]
struct Stub(AtLoss);

impl CongestionControl for Stub {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &SenderState) {
        w.cwnd += 1.0 / w.cwnd;
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        match self.0 {
            AtLoss::Halves => *w = Window { cwnd: l.halved_cwnd, ssthresh: l.halved_base },
            AtLoss::Faults => {
                PolicyFault { scheme: "faulty".to_string(), method: "on_loss", cause: "no idea".into() }
                    .raise()
            }
            AtLoss::Panics => panic!("a mistake"),
        }
        LossClass::Congestion
    }
}

#[derive(Debug)]
struct Deaf;

impl NoticePolicy for Deaf {
    fn on_notice(&mut self, _: airhop_base::Time, _: &Notice, _: &SenderState) -> NoticeReaction {
        NoticeReaction::Ignore
    }
}

fn stub(name: &str, at_loss: AtLoss) -> NewScheme {
    NewScheme {
        name: name.to_string(),
        title: "A stub".to_string(),
        family: "stubs".to_string(),
        cite: String::new(),
        recovery: "newreno".to_string(),
        needs: Vec::new(),
        params: Vec::new(),
        delivery_rate: false,
        paces: false,
        policies: Box::new(move |_| (Box::new(Stub(at_loss)), Box::new(Deaf))),
    }
}

fn run(scheme: &str) -> Result<String, RunError> {
    let overrides = Overrides { settings: Vec::new(), scheme: Some(scheme.to_string()) };
    let scenario = Arc::new(Scenario::parse(LAST_HOP, "last-hop.toml", &overrides).expect("a good scenario"));
    let run = Run { scenario, seed: 5, rep: 2 };
    run.execute(&RecordingOptions::default(), &AtomicBool::new(false)).map(|outcome| outcome.document)
}

#[test]
fn an_added_scheme_is_in_the_catalogue_and_runs() {
    stub("stub", AtLoss::Halves).add().expect("a good scheme");
    assert!(schemes_json().contains(r#""name":"stub","title":"A stub","family":"stubs""#));
    assert!(schema_json().contains("\"stub\""));
    assert!(run("stub").expect("it runs").contains(r#""scheme":"stub""#));
}

#[test]
fn a_scheme_fault_names_the_run_and_a_panic_is_a_bug() {
    stub("faulty", AtLoss::Faults).add().expect("a good scheme");
    stub("panicking", AtLoss::Panics).add().expect("a good scheme");
    let told = run("faulty").expect_err("its first loss").to_string();
    assert!(told.starts_with("scheme \"faulty\" failed in on_loss at "), "{told}");
    assert!(told.ends_with(" s of \"last-hop\" with seed 5, rep 2: no idea"), "{told}");
    assert!(!told.contains(" at 0.000000000 s"), "{told}");
    let told = run("panicking").expect_err("its first loss").to_string();
    assert!(told.starts_with("this is an error in Airhop") && told.ends_with("a mistake"), "{told}");
}

#[test]
fn a_scheme_with_a_built_in_name_is_refused() {
    let refused = stub("reno", AtLoss::Halves).add().expect_err("the name is used already");
    assert_eq!(refused, "\"reno\" is a built-in scheme; expected another name");
    assert!(schemes_json().contains(r#""name":"reno","title":"TCP Reno""#));
}
