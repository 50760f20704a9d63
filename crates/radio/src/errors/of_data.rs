//! Error model for frames with data only.

use super::{Damage, ErrorModel, Frame};

/// Channel that loses no control frames.
#[derive(Debug)]
pub(super) struct DataOnlyErrors {
    model: Box<dyn ErrorModel>,
}

impl DataOnlyErrors {
    /// Creates the channel from the error model that applies to frames with data.
    pub fn new(model: Box<dyn ErrorModel>) -> Self {
        DataOnlyErrors { model }
    }
}

impl ErrorModel for DataOnlyErrors {
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
        if frame.is_control { Damage::None } else { self.model.draw_damage(frame) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ErrorPlan, test_frame};
    use super::*;
    use airhop_engine::RandomStreams;

    /// Control frames are never lost, and draw no random number. Data frames have the same damage with and
    /// without control frames between them.
    #[test]
    fn control_frames_are_never_lost() {
        let build = |plan: &ErrorPlan| plan.build(&RandomStreams::new(1, 0), "cell", "a", "b");
        let all = ErrorPlan::Loss(0.3);
        let (mut plain, mut spares) = (build(&all), build(&all.clone().limited_to_data()));
        let control = Frame { is_control: true, ..test_frame(256) };
        let mut lost = 0;
        for _ in 0..1000 {
            assert_eq!(spares.draw_damage(&control), Damage::None);
            let fate = spares.draw_damage(&test_frame(12_304));
            assert_eq!(fate, plain.draw_damage(&test_frame(12_304)));
            lost += u32::from(fate != Damage::None);
        }
        assert!((250..350).contains(&lost), "{lost}");
        assert_eq!(ErrorPlan::Clean.limited_to_data(), ErrorPlan::Clean);
    }
}
