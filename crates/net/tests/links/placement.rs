//! Random draws of a replication: positions of stations, and pairs of stations.

use airhop_engine::RandomStreams;
use airhop_net::MAX_PLACEMENTS;
use airhop_net::placement::{Position, are_connected, draw_placement, pairs_at_distance};
use airhop_net::plan::Area;

const REACH: f64 = 40.0;

fn drawn(area: &Area, stations: usize, rep: u64) -> Option<Vec<Position>> {
    draw_placement("field", area, stations, Some(REACH), &RandomStreams::new(1, rep), |_| true)
}

/// Returns the number of hops of all shortest paths, by the algorithm of Floyd and Warshall; the tested code
/// uses another algorithm.
fn hops(places: &[Position], reach: f64) -> Vec<Vec<Option<u32>>> {
    let n = places.len();
    let near = |a: usize, b: usize| {
        let [dx, dy] = [0, 1].map(|k| places[a][k] - places[b][k]);
        dx * dx + dy * dy <= reach * reach
    };
    let mut hops: Vec<Vec<Option<u32>>> =
        (0..n).map(|a| (0..n).map(|b| near(a, b).then_some(u32::from(a != b))).collect()).collect();
    for (via, from, to) in (0..n).flat_map(|v| (0..n).flat_map(move |a| (0..n).map(move |b| (v, a, b)))) {
        if let (Some(there), Some(on)) = (hops[from][via], hops[via][to]) {
            hops[from][to] = Some(hops[from][to].map_or(there + on, |known| known.min(there + on)));
        }
    }
    hops
}

/// Chi-square test of 10 000 positions, drawn without a condition, over 8 × 5 cells: the 99.99 % quantile for
/// 39 degrees of freedom is 81.
#[test]
fn station_positions_are_uniform() {
    let area = Area { width: 200.0, height: 50.0, must_be_connected: false };
    let mut cells = [0_f64; 40];
    for rep in 0..200 {
        for [x, y] in drawn(&area, 50, rep).expect("no constraint") {
            assert!((0.0..200.0).contains(&x) && (0.0..50.0).contains(&y));
            cells[(x / 25.0) as usize + 8 * (y / 10.0) as usize] += 1.0;
        }
    }
    let chi2: f64 = cells.iter().map(|n| (n - 250.0).powi(2) / 250.0).sum();
    assert!(chi2 < 81.0, "{chi2}");
}

/// The layout is the first draw in which all stations are connected.
#[test]
fn a_connected_layout_is_the_first_connected_draw() {
    let area = Area { width: 130.0, height: 130.0, must_be_connected: true };
    let mut first = 0;
    for rep in 0..100 {
        let taken = drawn(&area, 20, rep).expect("dense enough");
        assert!(hops(&taken, REACH).iter().flatten().all(Option::is_some), "{taken:?}");
        let mut before = Vec::new();
        let anything = Area { must_be_connected: false, ..area };
        let _ = draw_placement("field", &anything, 20, Some(REACH), &RandomStreams::new(1, rep), |places| {
            before.push(places.to_vec());
            *places == taken
        });
        let refused = &before[..before.len() - 1];
        assert!(refused.iter().all(|places| hops(places, REACH).iter().flatten().any(Option::is_none)));
        first += usize::from(refused.is_empty());
    }
    assert!((1..99).contains(&first), "{first} of 100 were connected at once: both cases are tested");
}

/// A layout that cannot be connected is an error, after exactly the maximum number of draws.
#[test]
fn an_impossible_layout_is_an_error_after_the_last_draw() {
    assert_eq!(drawn(&Area { width: 1e6, height: 1e6, must_be_connected: true }, 50, 0), None);
    let mut count = 0;
    let anything = Area { width: 1.0, height: 1.0, must_be_connected: true };
    let none = draw_placement("field", &anything, 2, Some(REACH), &RandomStreams::new(1, 0), |_| {
        count += 1;
        false
    });
    assert_eq!((none, count), (None, MAX_PLACEMENTS));
}

#[test]
fn name_seed_and_replication_determine_station_positions() {
    let area = Area { width: 130.0, height: 130.0, must_be_connected: true };
    let of = |name: &str, seed, rep| {
        draw_placement(name, &area, 20, Some(REACH), &RandomStreams::new(seed, rep), |_| true)
    };
    assert_eq!(of("field", 1, 0), of("field", 1, 0));
    let others = [of("meadow", 1, 0), of("field", 2, 0), of("field", 1, 1)];
    assert!(others.iter().all(|other| *other != of("field", 1, 0)));
}

/// The drawn pairs are exactly those found by a second algorithm, whether or not the layout is connected.
#[test]
fn drawn_pairs_have_the_configured_number_of_hops() {
    for (rep, connected) in (0..40).map(|rep| (rep, rep % 2 == 0)) {
        let places = drawn(&Area { width: 150.0, height: 90.0, must_be_connected: connected }, 18, rep)
            .expect("dense enough");
        let hops = hops(&places, REACH);
        let all = (0..18_u16).flat_map(|a| (0..18_u16).map(move |b| [a, b]));
        let expected = |fits: &dyn Fn(u32) -> bool| -> Vec<[u16; 2]> {
            all.clone().filter(|[a, b]| hops[usize::from(*a)][usize::from(*b)].is_some_and(fits)).collect()
        };
        for wanted in 1..=17 {
            assert_eq!(
                pairs_at_distance(&places, Some(REACH), Some(wanted)),
                expected(&|hops| hops == wanted),
                "{wanted}"
            );
        }
        assert_eq!(pairs_at_distance(&places, Some(REACH), None), expected(&|hops| hops > 0));
    }
}

/// In a layout without a receive range all stations receive each other, so all pairs are neighbours.
#[test]
fn stations_without_a_receive_range_are_all_neighbours() {
    let places = [[0.0, 0.0], [1e6, 0.0], [0.0, 1e6]];
    assert!(are_connected(&places, None));
    assert_eq!(pairs_at_distance(&places, None, Some(1)).len(), 6);
    assert_eq!(pairs_at_distance(&places, None, Some(2)), [[0; 2]; 0]);
}
