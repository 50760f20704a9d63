//! Order of the calls to a congestion control for one event. Documented at
//! [`CongestionControl`](crate::seams::CongestionControl).

/// Methods of the congestion control, in calling order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ControlCall {
    /// `observe`.
    Observed,
    /// `on_duplicate_ack`, `on_ack`, and `on_loss` for an ECN mark. The mark may suppress `on_ack`.
    Heard,
    /// `on_loss` for a loss, `on_marked_loss`.
    Lost,
    /// `on_segment_lost`, for each lost segment.
    Named,
    /// `on_delivery_report`.
    Delivered,
}

/// Last method called for the present ACK or timer. Empty in builds without debug assertions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallOrder {
    #[cfg(debug_assertions)]
    last: Option<ControlCall>,
}

impl CallOrder {
    /// Starts a new event: an ACK, a timer expiry or a notice.
    #[inline]
    pub fn start_event(&mut self) {
        *self = CallOrder::default();
    }

    /// Records the call `step`.
    ///
    /// # Panics
    ///
    /// With debug assertions, if a later step was recorded for this event.
    #[inline]
    pub fn record_call(&mut self, step: ControlCall) {
        #[cfg(debug_assertions)]
        {
            assert!(self.last <= Some(step), "the control learns of {step:?} after {:?}", self.last);
            self.last = Some(step);
        }
        let _ = step;
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    // Contract of `CongestionControl`: the delivery report is the last call for an ACK.
    #[test]
    #[should_panic(expected = "learns of Observed after Some(Delivered)")]
    fn a_call_after_the_delivery_report_panics() {
        let mut order = CallOrder::default();
        for step in [
            ControlCall::Observed,
            ControlCall::Heard,
            ControlCall::Heard,
            ControlCall::Lost,
            ControlCall::Named,
            ControlCall::Delivered,
        ] {
            order.record_call(step);
        }
        order.start_event();
        order.record_call(ControlCall::Delivered);
        order.record_call(ControlCall::Observed);
    }
}
