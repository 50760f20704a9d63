//! Tests of the effect of a link's errors on its frames.
use super::harness::{Note, World, on_link, plan};
use super::{count, secs, watch};
use crate::cell::{CellPlan, LinkErrors, StationIndex};
use crate::errors::ErrorPlan;
use crate::layer::FrameKind;
use airhop_base::DropCause;
use airhop_engine::RandomStreams;

#[test]
fn data_and_control_frames_are_lost_by_their_length_in_bits() {
    let mut plan = plan(2);
    plan.max_attempts = 1;
    // The data frame has a length of 1076 bytes.
    let model = ErrorPlan::FrameErrorRate { fer: 0.2, reference_bits: 1076 * 8 };
    plan.errors = vec![LinkErrors { from: None, to: None, model }];
    let mut world = World::new(&plan, 1);
    world.saturate(0, 1, 1040);
    let air = watch(&mut world, secs(100));
    for (kind, bytes) in [(FrameKind::Data, 1076.0), (FrameKind::Ack, 14.0)] {
        let sent = air.iter().filter(|t| t.kind == kind).count() as f64;
        let lost = count(&world, |n| matches!(n, Note::Lost { frame, .. } if *frame == kind)) as f64;
        let p = 1.0 - 0.8_f64.powf(bytes / 1076.0);
        // The count is binomial. The tolerance is five standard deviations: a correct program fails once in
        // 1.7 million cases.
        assert!((lost - sent * p).abs() < 5.0 * (sent * p * (1.0 - p)).sqrt(), "{kind:?}: {lost} of {sent}");
    }
}

/// TCP HACK can use a frame if its headers are intact: 36 bytes of MAC and LLC, and 28 bytes of IP and UDP.
#[test]
fn intact_headers_follow_the_bit_error_rate() {
    let mut plan = plan(3);
    plan.max_attempts = 1;
    let model = ErrorPlan::FrameErrorRate { fer: 0.6, reference_bits: 1076 * 8 };
    plan.errors = vec![LinkErrors { from: None, to: None, model }];
    let mut world = World::new(&plan, 1);
    world.saturate(0, 1, 1040);
    world.saturate(2, 1, 1040);
    world.run(secs(100));
    let lost = |intact| {
        let is = |n: &Note| match n {
            Note::Lost { frame, cause, header_intact, .. } => {
                *frame == FrameKind::Data && *cause == DropCause::Channel && *header_intact == intact
            }
            _ => false,
        };
        count(&world, is) as f64
    };
    let (intact, useless) = (lost(true), lost(false));
    let [header, all] = [64.0, 1076.0].map(|bytes| 0.4_f64.powf(bytes / 1076.0));
    let (n, p) = (intact + useless, (header - all) / (1.0 - all));
    // The count is binomial; the tolerance is five standard deviations.
    assert!((intact - n * p).abs() < 5.0 * (n * p * (1.0 - p)).sqrt(), "{intact} of {n}, expected {}", n * p);
    assert!(count(&world, |n| matches!(n, Note::Lost { frame: FrameKind::Ack, .. })) > 50);
    let control =
        |n: &Note| matches!(n, Note::Lost { frame, header_intact: true, .. } if *frame != FrameKind::Data);
    assert_eq!(count(&world, control), 0, "a control frame consists only of headers");
    // Frames of equal length that collide end at the same time.
    let at_once = world.notes.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let collisions = at_once.filter_map(|pair| match (pair[0].1, pair[1].1) {
        (Note::Lost { header_intact: a, .. }, Note::Lost { header_intact: b, .. }) => Some(a || b),
        _ => None,
    });
    let collisions: Vec<bool> = collisions.collect();
    assert!(collisions.len() > 1000 && !collisions.contains(&true), "a collision leaves no intact headers");
}

/// Returns a boolean for each data frame from station 0 to 1: true if the frame arrived; `None` for a
/// collision.
fn fates(plan: &CellPlan, others: &[StationIndex]) -> Vec<Option<bool>> {
    let mut world = World::new(plan, 1);
    world.saturate(0, 1, 1040);
    others.iter().for_each(|s| world.saturate(*s, 1, 1040));
    world.run(secs(10));
    let fate = |n: &Note| match n {
        Note::Delivered { from: 0, .. } => Some(Some(true)),
        Note::Lost { from: 0, frame: FrameKind::Data, cause: DropCause::Channel, .. } => Some(Some(false)),
        Note::Lost { from: 0, frame: FrameKind::Data, .. } => Some(None),
        _ => None,
    };
    world.notes.iter().filter_map(|(_, n)| fate(n)).collect()
}

/// The n-th frame on a link has the same outcome in every run with this seed, so all schemes meet the same
/// channel.
#[test]
fn the_channel_does_not_depend_on_the_traffic() {
    let mut plan = plan(4);
    plan.max_attempts = 1;
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(0.1))];
    let alone = fates(&plan, &[]);
    let crowded = fates(&plan, &[2, 3]);
    assert!(crowded.iter().filter(|f| f.is_none()).count() > 50);
    for (i, (a, b)) in alone.iter().zip(&crowded).enumerate() {
        assert!(b.is_none() || a == b, "frame {i}: {a:?} alone, {b:?} with others");
    }
    // The link's own random stream determines the errors.
    let mut stream = RandomStreams::new(1, 0).stream("cell.errors.s0->s1");
    assert!(alone.iter().all(|f| *f == Some(!stream.random_bool(0.1))));
}
