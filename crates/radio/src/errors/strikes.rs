//! Selection of the frames that a burst model may lose.
use super::Frame;

/// Frames that a burst model may lose. All other frames are never lost and do not step the chain. RTS, CTS
/// and link ACKs are never selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameSelection {
    /// All frames except the MAC's control frames.
    #[default]
    Data,
    /// Unicast data frames. Route requests and other broadcasts are not selected.
    Unicast,
    /// Unicast data frames with payload. TCP's ACKs are not selected.
    Payload,
}

impl FrameSelection {
    /// Selections, with their names.
    pub const ALL: [(&str, FrameSelection); 3] = [
        ("data", FrameSelection::Data),
        ("unicast", FrameSelection::Unicast),
        ("payload", FrameSelection::Payload),
    ];

    /// True if the selection contains this frame.
    pub fn contains(self, frame: &Frame) -> bool {
        !frame.is_control
            && match self {
                FrameSelection::Data => true,
                FrameSelection::Unicast => !frame.is_broadcast,
                FrameSelection::Payload => !frame.is_broadcast && frame.header_bits < frame.bits,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Damage, ErrorPlan, test_frame};
    use super::*;
    use airhop_base::Span;
    use airhop_engine::RandomStreams;

    /// Frames of four types under each selection: a segment, a TCP ACK, a broadcast and a link ACK.
    #[test]
    fn each_frame_selection_exempts_its_frame_types() {
        let ack = test_frame(592);
        let frames = [
            Frame { header_bits: 592, ..test_frame(8592) },
            ack,
            Frame { is_broadcast: true, header_bits: 432, ..test_frame(800) },
            Frame { is_control: true, ..test_frame(112) },
        ];
        let struck = |strikes: FrameSelection| frames.map(|frame| strikes.contains(&frame));
        assert_eq!(struck(FrameSelection::Data), [true, true, true, false]);
        assert_eq!(struck(FrameSelection::Unicast), [true, true, false, false]);
        assert_eq!(struck(FrameSelection::Payload), [true, false, false, false]);
    }

    /// Frames outside the selection do not change the damage of other frames. This holds for chains with one
    /// step per frame and with timed steps.
    #[test]
    fn exempt_frames_do_not_change_the_damage_of_other_frames() {
        let (loss, leave, strikes) = ([0.2, 0.9], [0.1, 0.3], FrameSelection::Unicast);
        for plan in [
            ErrorPlan::GilbertElliott { loss, leave, strikes },
            ErrorPlan::Stepped { loss, leave, step: Span::from_millis(1), strikes },
        ] {
            let new = || plan.build(&RandomStreams::new(1, 0), "cell", "a", "b");
            let (mut plain, mut mixed) = (new(), new());
            for _ in 0..1000 {
                assert_eq!(mixed.draw_damage(&Frame { is_broadcast: true, ..test_frame(800) }), Damage::None);
                assert_eq!(mixed.draw_damage(&test_frame(8592)), plain.draw_damage(&test_frame(8592)));
            }
        }
    }
}
