use crate::sender_state::SenderState;
use airhop_base::Time;
use std::collections::VecDeque;

/// Segments in flight, in the order of their last transmission. A segment is removed as soon as it is
/// delivered or marked lost.
#[derive(Debug, Default)]
pub(super) struct SendingOrder {
    /// Transmissions in the order of their numbers: entry i has number `base + i`.
    transmissions: VecDeque<Transmission>,
    base: u64,
    /// Numbers of the first and the last transmission in flight; `None` if none is in flight.
    ends: Option<(u64, u64)>,
}

/// Last transmission of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    /// First byte of the segment at its transmission.
    start: u64,
    /// Transmission time.
    pub sent_at: Time,
    /// Numbers of the previous and of the next transmission in flight; `None` at the ends.
    before: Option<u64>,
    after: Option<u64>,
    is_under_way: bool,
}

impl Transmission {
    /// Returns the first unacknowledged byte of the segment. An ACK may have covered a part of the segment.
    pub fn first_unacked(&self, s: &SenderState) -> u64 {
        self.start.max(s.una)
    }
}

impl SendingOrder {
    /// Adds transmission number `order` of the segment that begins at `start`. Numbers must increase.
    pub fn push(&mut self, order: u64, start: u64, at: Time) {
        if self.transmissions.is_empty() {
            self.base = order;
        }
        let before = self.ends.map(|(_, last)| last);
        let sent = Transmission { start, sent_at: at, before, after: None, is_under_way: true };
        // Placeholder for a transmission number without a segment in flight.
        let nobody = Transmission { is_under_way: false, ..sent };
        while self.base + (self.transmissions.len() as u64) < order {
            self.transmissions.push_back(nobody);
        }
        self.transmissions.push_back(sent);
        if let Some(before) = before.and_then(|before| self.get_mut(before)) {
            before.after = Some(order);
        }
        self.ends = Some((self.ends.map_or(order, |(first, _)| first), order));
    }

    /// Removes a transmission that is no longer in flight.
    pub fn remove(&mut self, order: u64) {
        let Some(sent) = self.get_mut(order).filter(|sent| sent.is_under_way) else { return };
        sent.is_under_way = false;
        let (before, after) = (sent.before, sent.after);
        if let Some(sent) = before.and_then(|before| self.get_mut(before)) {
            sent.after = after;
        }
        if let Some(sent) = after.and_then(|after| self.get_mut(after)) {
            sent.before = before;
        }
        self.ends = self.ends.and_then(|(first, last)| match (before, after) {
            (None, None) => None,
            (None, Some(after)) => Some((after, last)),
            (Some(before), None) => Some((first, before)),
            (Some(_), Some(_)) => Some((first, last)),
        });
        while self.transmissions.front().is_some_and(|sent| !sent.is_under_way) {
            self.transmissions.pop_front();
            self.base += 1;
        }
    }

    /// Removes all transmissions.
    pub fn clear(&mut self) {
        self.transmissions.clear();
        self.ends = None;
    }

    /// Returns the first transmission in flight; `None` if none is in flight.
    pub fn first(&self) -> Option<(u64, Transmission)> {
        let (first, _) = self.ends?;
        self.get(first).map(|sent| (first, sent))
    }

    /// Returns the next transmission in flight after `sent`; `None` after the last.
    pub fn next_after(&self, sent: &Transmission) -> Option<(u64, Transmission)> {
        let after = sent.after?;
        self.get(after).map(|sent| (after, sent))
    }

    fn get(&self, order: u64) -> Option<Transmission> {
        self.transmissions.get(order.checked_sub(self.base)? as usize).copied()
    }

    fn get_mut(&mut self, order: u64) -> Option<&mut Transmission> {
        self.transmissions.get_mut(order.checked_sub(self.base)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn orders(list: &SendingOrder) -> Vec<u64> {
        let next = |(_, sent): &(u64, Transmission)| list.next_after(sent);
        std::iter::successors(list.first(), next).map(|(order, _)| order).collect()
    }

    proptest! {
        // The sending order contains the same segments as a plain list. Some numbers have no segment, and
        // some segments are removed twice.
        #[test]
        fn the_rack_list_contains_the_segments_in_flight(acts in prop::collection::vec((any::<bool>(), 0..12_u64), 1..200)) {
            let (mut list, mut plain, mut order) = (SendingOrder::default(), Vec::new(), 0);
            for (sends, number) in acts {
                if sends {
                    order += 1 + number / 10;
                    list.push(order, number, Time::ZERO);
                    plain.push(order);
                } else {
                    let gone = (order + 1).saturating_sub(number);
                    list.remove(gone);
                    plain.retain(|&order| order != gone);
                }
                prop_assert_eq!(orders(&list), &plain[..]);
            }
            list.clear();
            prop_assert!(list.first().is_none());
        }
    }
}
