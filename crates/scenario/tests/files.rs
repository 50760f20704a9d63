//! Files that a scenario names: their location and contents, and results that are stored separately for
//! different contents.

use airhop_base::Span;
use airhop_radio::arq::ArqPlan;
use airhop_radio::errors::{ErrorPlan, FadePlan, FadeRecord};
use airhop_radio::link_rate::{DeliveryTrace, LinkRate};
use airhop_scenario::{FileLocation, Overrides, Scenario, ScenarioError, ScenarioSource};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FADES: &str = "# period_s = 200\nbegin_s,end_s\n1,2.5\n10,14\n";
const LINK: &str = r#"
name = "played-back"
duration = "1 s"

[[wired]]
name = "air"
ends = ["bs", "m"]
rate = "19.2 kbit/s"
delay = "10 ms"
errors = { kind = "recorded", file = "fades.csv", ber_good = 1e-6, ber_bad = 1e-2 }

[[flow]]
name = "ftp"
from = "bs"
to = "m"
scheme = "reno"
"#;

/// Returns an empty folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    folder
}

fn with_fades(name: &str, fades: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("fades.csv"), fades).expect("a file");
    folder
}

fn read(text: &str, folder: &Path, sets: &[(&str, &str)]) -> Result<Scenario, ScenarioError> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    Scenario::parse(
        text,
        ScenarioSource { name: "air.toml", files: FileLocation::Folder(folder) },
        &Overrides { settings: sets, scheme: None },
    )
}

fn load(folder: &Path) -> Scenario {
    read(LINK, folder, &[]).expect("a good scenario")
}

fn refusal(text: &str, folder: &Path, sets: &[(&str, &str)]) -> String {
    read(text, folder, sets).expect_err("the scenario is invalid").to_string()
}

#[test]
fn a_recorded_channel_is_planned_from_its_file() {
    let plan = load(&with_fades("planned", FADES)).plan().links.wired[0].errors.clone();
    let record = FadeRecord::parse(FADES).expect("good");
    let expect =
        ErrorPlan::TwoState { fades: FadePlan::Recorded(Arc::new(record)), errors_per_bit: [1e-6, 1e-2] };
    assert_eq!(plan, [expect.clone(), expect]);
}

/// A file name is relative to the folder of the scenario, unless it is absolute or an option sets another
/// folder.
#[test]
fn a_file_name_is_relative_to_the_scenario_folder() {
    let here = with_fades("here", FADES);
    let there = with_fades("there", "begin_s,end_s\n3,4\n");
    let period = |scenario: Scenario| match &scenario.plan().links.wired[0].errors[0] {
        ErrorPlan::TwoState { fades: FadePlan::Recorded(record), .. } => record.period(),
        other => panic!("{other:?}"),
    };
    assert_eq!(period(load(&here)), Span::from_secs(200));
    for path in [there.join("fades.csv"), PathBuf::from("../there/fades.csv")] {
        let sets = [("wired.air.errors.file", path.to_str().expect("text"))];
        assert_eq!(period(read(LINK, &here, &sets).expect("good")), Span::from_secs(4));
    }
}

/// The effective scenario contains the digest of the file, and its absolute path, so it can be read from any
/// folder.
#[test]
fn the_effective_scenario_with_files_reads_back() {
    let here = with_fades("effective", FADES);
    let scenario = load(&here);
    let path = here.join("fades.csv").display().to_string();
    assert!(scenario.to_json().contains(&format!(r#""file":"{path}","digest":"#)), "{}", scenario.to_json());
    let elsewhere = ScenarioSource { name: "x", files: FileLocation::Folder(Path::new("/")) };
    for again in [
        Scenario::parse(&scenario.to_toml(), elsewhere, &Overrides::default()),
        Scenario::from_json(&scenario.to_json(), elsewhere, &Overrides::default()),
    ] {
        let again = again.expect("valid before the edit");
        assert_eq!([again.to_json(), again.identity()], [scenario.to_json(), scenario.identity()]);
        assert_eq!(again.plan().links.wired[0].errors, scenario.plan().links.wired[0].errors);
    }
}

/// The stored results do not depend on where the file is, so two machines have the same. After a change of
/// its contents, results are stored separately.
#[test]
fn results_depend_on_file_content_and_not_on_file_path() {
    let [one, two] = ["one", "two"].map(|name| load(&with_fades(name, FADES)));
    assert_ne!(one.to_json(), two.to_json());
    assert_eq!(one.identity(), two.identity());
    assert_ne!(load(&with_fades("three", &FADES.replace("2.5", "2.6"))).identity(), one.identity());
}

#[test]
fn a_file_with_another_digest_is_refused() {
    let here = with_fades("edited", FADES);
    let effective = load(&here).to_toml();
    std::fs::write(here.join("fades.csv"), "begin_s,end_s\n").expect("a file");
    let refusal = refusal(&effective, &here, &[]);
    let path = here.join("fades.csv").display().to_string();
    for part in [
        "air.toml:",
        "wired.air.errors.digest: expected \"",
        &path,
        "the file differs from that of the recorded run",
    ] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
}

#[test]
fn an_error_in_a_file_names_the_file() {
    let here = with_fades("wrong", "begin_s,end_s\n1,2\n1.5,3\n");
    std::fs::write(here.join("bytes.csv"), [0xff, 0xfe]).expect("a file");
    let shown = |name: &str| here.join(name).display().to_string();
    let cases = [
        (
            "fades.csv",
            format!("wired.air.errors: {}:3: expected a start at or after 2.000000000", shown("fades.csv")),
        ),
        ("none.csv", format!("wired.air.errors.file: there is no file {}", shown("none.csv"))),
        ("", "wired.air.errors.file: expected the path of a file".to_string()),
        ("..", "it is not a file".to_string()),
        ("bytes.csv", "it is not text (UTF-8)".to_string()),
    ];
    for (name, expect) in cases {
        let text = LINK.replace("fades.csv", name);
        let refusal = refusal(&text, &here, &[]);
        assert!(refusal.starts_with("air.toml:10: ") && refusal.contains(&expect), "{name}: {refusal}");
        assert!(!refusal.contains("\n\n"), "one problem: {refusal}");
    }
    let set = [("wired.air.errors.file", "none.csv")];
    let refusal = refusal(LINK, &here, &set);
    assert!(refusal.starts_with("--set wired.air.errors.file=none.csv: there is no file"), "{refusal}");
}

/// A scenario of unknown origin cannot open a file, and the message does not reveal whether the file exists.
#[test]
fn a_scenario_without_a_folder_opens_no_file() {
    let here = with_fades("received", FADES);
    let path = here.join("fades.csv").display().to_string();
    let received = |text: &str, sets: &[(&str, &str)]| {
        let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
        let source = ScenarioSource { name: "air.toml", files: FileLocation::Given(&[]) };
        Scenario::parse(text, source, &Overrides { settings: sets, scheme: None })
    };
    for text in [LINK.replace("fades.csv", &path), LINK.replace("fades.csv", "none.csv")] {
        let refusal = received(&text, &[]).expect_err("the scenario names a file").to_string();
        assert!(refusal.starts_with("air.toml:10: wired.air.errors.file: names a file"), "{refusal}");
    }
    let clean = LINK.replace(
        r#"kind = "recorded", file = "fades.csv", ber_good = 1e-6, ber_bad = 1e-2"#,
        r#"kind = "clean""#,
    );
    assert_ne!(clean, LINK);
    received(&clean, &[]).expect("the scenario names no file");
    let errors = format!(r#"{{ kind = "recorded", file = "{path}", ber_good = 0, ber_bad = 0.1 }}"#);
    for (key, value) in [("wired.air.errors", errors.as_str()), ("wired.air.deliveries", path.as_str())] {
        let refusal = received(&clean, &[(key, value)]).expect_err("the scenario names a file").to_string();
        assert!(refusal.contains(key) && refusal.contains("no file is read"), "{refusal}");
        assert!(!refusal.contains("there is no") && !refusal.contains("begin_s"), "{refusal}");
    }
}

/// A log contains the contents of the files, so its scenario can be read without them. Contents with another
/// digest are an error.
#[test]
fn a_scenario_with_embedded_file_contents_opens_no_file() {
    let here = with_fades("given", FADES);
    let scenario = load(&here);
    std::fs::remove_dir_all(&here).expect("the file existed");
    let given = scenario.named_files();
    assert_eq!(given.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), [FADES]);
    let with = |files: &[(String, String)]| {
        let source = ScenarioSource { name: "a.log", files: FileLocation::Given(files) };
        Scenario::from_json(&scenario.to_json(), source, &Overrides::default())
    };
    let again = with(&given).expect("valid before the edit");
    assert_eq!([again.to_json(), again.identity()], [scenario.to_json(), scenario.identity()]);
    assert_eq!(again.plan().links.wired[0].errors, scenario.plan().links.wired[0].errors);
    let other = [(given[0].0.clone(), FADES.replace("2.5", "2.6"))];
    let refusal = with(&other).expect_err("another content").to_string();
    assert!(refusal.contains("the file differs from that of the recorded run"), "{refusal}");
    let refusal = with(&[]).expect_err("no content").to_string();
    assert!(refusal.contains("no file is read for a scenario"), "{refusal}");
}

#[test]
fn a_digest_is_sixteen_digits() {
    let here = with_fades("digits", FADES);
    let text = LINK.replace("file =", "digest = \"1f\", file =");
    assert!(refusal(&text, &here, &[]).contains("expected 16 hexadecimal digits, got \"1f\""));
}

/// All copies of a link share one file.
#[test]
fn copies_of_a_link_share_its_channel_record() {
    let here = with_fades("copies", FADES);
    let text = LINK
        .replace("duration", "copies = 2\nduration")
        .replace("\"air\"", "\"air*\"")
        .replace("\"m\"", "\"m*\"");
    let text = text.replace("\"ftp\"", "\"ftp*\"");
    let scenario = read(&text, &here, &[]).expect("good");
    let [one, two] = &scenario.plan().links.wired[..] else { panic!("two links") };
    assert_eq!(one.errors, two.errors);
}

const TRACE: &str = "0\n5\n5\n20\n";

/// A file can contain the delivery times of a wired or a radio link. It is subject to the rules for all
/// files.
#[test]
fn a_link_rate_can_come_from_a_delivery_trace() {
    let expect =
        LinkRate::both_ways(LinkRate::Deliveries(Arc::new(DeliveryTrace::parse(TRACE).expect("good"))));
    for (list, read_pace) in [
        ("wired", (|s| s.plan().links.wired[0].rates.clone()) as fn(&Scenario) -> [LinkRate; 2]),
        ("radio", |s| s.plan().links.radios[0].link.rates.clone()),
    ] {
        let here = with_fades(&format!("paced-{list}"), FADES);
        std::fs::write(here.join("lte.trace"), TRACE).expect("a file");
        let text =
            LINK.replace("wired", list).replace("rate = \"19.2 kbit/s\"", "deliveries = \"lte.trace\"");
        let scenario = read(&text, &here, &[]).expect("good");
        assert_eq!(read_pace(&scenario), expect);
        let again = Scenario::from_json(&scenario.to_json(), "x", &Overrides::default())
            .expect("valid before the edit");
        assert_eq!((again.identity(), read_pace(&again)), (scenario.identity(), expect.clone()));
        std::fs::write(here.join("lte.trace"), "1\n").expect("a file");
        assert_ne!(read(&text, &here, &[]).expect("good").identity(), scenario.identity());
        let refusal =
            Scenario::from_json(&scenario.to_json(), "x", &Overrides::default()).expect_err("changed");
        assert!(
            refusal.to_string().contains(&format!("{list}.air.deliveries_digest: expected \"")),
            "{refusal}"
        );
    }
}

/// A computed timeout of link recovery uses the mean rate of the trace: four times 1504 B in 20 ms, with 4 B
/// of overhead for each frame. The timeout is the time of three frames of 1052 B, a link ACK of 6 B and a
/// frame before it, and 10 ms of delay in each direction.
#[test]
fn the_arq_timeout_uses_the_mean_rate_of_the_trace() {
    let here = folder("derived");
    std::fs::write(here.join("lte.trace"), TRACE).expect("a file");
    let text = LINK.replace("[[wired]]", "[[radio]]\narq = { kind = \"go-back-n\" }");
    let text = text.replace(
        "kind = \"recorded\", file = \"fades.csv\", ber_good = 1e-6, ber_bad = 1e-2",
        "kind = \"clean\"",
    );
    let text = text.replace("rate = \"19.2 kbit/s\"", "deliveries = \"lte.trace\"");
    let scenario = read(&text, &here, &[]).expect("good");
    let time = |bytes: u64| ((bytes + 4) * 20_000_000).div_ceil(4 * 1504);
    for arq in &scenario.plan().links.radios[0].link.arq {
        let ArqPlan::GoBackN { rules, .. } = arq else { panic!("{arq:?}") };
        assert_eq!(rules.timeout.nanos(), 3 * time(1052) + time(6) + time(1052) + 20_000_000);
    }
}

/// Windows editors write a byte-order mark at the start of text files. It is permitted in scenarios, and in
/// the files that they name.
#[test]
fn a_byte_order_mark_is_ignored() {
    for (name, mark) in [("bare", ""), ("marked", "\u{feff}")] {
        let here = with_fades(&format!("order-{name}"), &format!("{mark}{FADES}"));
        std::fs::write(here.join("lte.trace"), format!("{mark}{TRACE}")).expect("a file");
        let text = LINK.replace("rate = \"19.2 kbit/s\"", "deliveries = \"lte.trace\"");
        let scenario = read(&format!("{mark}{text}"), &here, &[]).expect("good");
        let trace = LinkRate::Deliveries(Arc::new(DeliveryTrace::parse(TRACE).expect("good")));
        assert_eq!(scenario.plan().links.wired[0].rates, LinkRate::both_ways(trace), "{name}");
    }
}

#[test]
fn a_link_has_either_a_rate_or_a_delivery_trace() {
    let here = with_fades("one-pace", FADES);
    std::fs::write(here.join("lte.trace"), "5\n4\n").expect("a file");
    let shown = here.join("lte.trace").display().to_string();
    let rate = "rate = \"19.2 kbit/s\"";
    let cases = [
        ("".to_string(), "air.toml:5: wired.air.rate: is missing: rate of each direction"),
        (
            format!("{rate}\ndeliveries = \"lte.trace\""),
            "air.toml:9: wired.air.deliveries: expected either `rate` or `deliveries`, got both",
        ),
        (
            "deliveries = \"lte.trace\"".to_string(),
            &format!("air.toml:8: wired.air.deliveries: {shown}:2: expected a time not before"),
        ),
        ("deliveries = 5".to_string(), "air.toml:8: wired.air.deliveries: expected the path of a file"),
        ("rate = 5".to_string(), "air.toml:8: wired.air.rate: expected a data rate with a unit"),
        ("rat = \"5 bit/s\"".to_string(), "air.toml:8: wired.air.rat: unknown key"),
    ];
    for (pace, expect) in cases {
        let refusal = refusal(&LINK.replace(rate, &pace), &here, &[]);
        assert!(refusal.starts_with(expect), "{pace}: {refusal}");
        assert!(!refusal.contains("\n\n"), "one problem: {refusal}");
    }
}
