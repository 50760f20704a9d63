//! Two links between the same two nodes are refused: routes would use only one of them, and no packet would
//! cross the other.

use airhop_scenario::{Overrides, Scenario};

const WIRE: &str =
    "[[wired]]\nname = \"modem\"\nends = [\"s\", \"d\"]\nrate = \"64 kbit/s\"\ndelay = \"50 ms\"\n";
const RADIO: &str =
    "[[radio]]\nname = \"sat\"\nends = [\"d\", \"s\"]\nrate = \"10 Mbit/s\"\ndelay = \"250 ms\"\n";
const WLAN: &str = "[[wlan]]\nname = \"cell\"\nstandard = \"802.11b\"\nrate = \"11 Mbit/s\"\nstations = { s = [0, 0], d = [9, 0] }\n";
const FLOW: &str = "[[flow]]\nname = \"f\"\nfrom = \"s\"\nto = \"d\"\nscheme = \"cubic\"\n";

fn read(links: &[&str]) -> Result<Scenario, String> {
    let text = format!("name = \"two\"\nduration = \"2 s\"\n{}{FLOW}", links.concat());
    Scenario::parse(&text, "two.toml", &Overrides::default()).map_err(|refusal| refusal.to_string())
}

#[test]
fn a_second_link_between_the_same_nodes_is_refused() {
    let again = WIRE.replace("modem", "line");
    let copies = WIRE.replace("modem", "w*").replace("\"s\"", "\"s*\"");
    let cases = [
        (
            [WIRE, RADIO],
            "radio.sat.ends: expected other nodes: [[wired]] \"modem\" also joins \"s\" and \"d\", ",
        ),
        ([WIRE, &again], "wired.line.ends: expected other nodes: [[wired]] \"modem\" also joins"),
        ([WIRE, WLAN], "wlan.cell.stations: expected other nodes: [[wired]] \"modem\" also joins"),
        ([RADIO, WLAN], "wlan.cell.stations: expected other nodes: [[radio]] \"sat\" also joins"),
        (
            [&copies, &WIRE.replace("\"s\"", "\"s1\"")],
            "wired.modem.ends: expected other nodes: [[wired]] \"w1\" also joins",
        ),
    ];
    for (links, expect) in cases {
        let refusal = read(&links).expect_err("the second link would carry no packet");
        assert!(refusal.contains(expect), "{refusal}");
    }
}

/// A wire between two of several stations of a wlan is accepted: the other stations still use the radio.
#[test]
fn a_wire_between_two_of_three_stations_is_accepted() {
    let three = WLAN.replace("d = [9, 0]", "d = [9, 0], e = [0, 9]");
    read(&[WIRE, &three]).expect("a wire between two of three stations");
    read(&[WIRE, &RADIO.replace("\"s\"", "\"r\"")]).expect("one behind the other");
}
