/// First-in, first-out queue in a ring of slots. The number of slots is a power of two, so a mask wraps the
/// positions; [`VecDeque`](std::collections::VecDeque) needs a comparison for each. Free slots contain the
/// default value.
#[derive(Debug)]
pub struct Ring<T> {
    slots: Vec<T>,
    /// Number of removed values, modulo 2^32. The lower bits are the position of the oldest value.
    removed: u32,
    /// Number of added values, modulo 2^32.
    added: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring { slots: Vec::new(), removed: 0, added: 0 }
    }
}

impl<T: Default> Ring<T> {
    /// Returns the number of values.
    #[inline]
    pub fn len(&self) -> usize {
        self.added.wrapping_sub(self.removed) as usize
    }

    /// True if there are no values.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.added == self.removed
    }

    /// Adds a value as the newest.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let slot = self.slot(self.added);
        self.slots[slot] = value;
        self.added = self.added.wrapping_add(1);
    }

    /// Removes and returns the oldest value.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let slot = self.slot(self.removed);
        let oldest = std::mem::take(&mut self.slots[slot]);
        self.removed = self.removed.wrapping_add(1);
        Some(oldest)
    }

    /// Returns the oldest value.
    #[inline]
    pub fn oldest(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(&self.slots[self.slot(self.removed)]) }
    }

    /// Returns the slot of the value with this number, counted from the first value that was added.
    #[inline]
    fn slot(&self, number: u32) -> usize {
        number as usize & self.slots.len().wrapping_sub(1)
    }

    /// Doubles the number of slots of a full ring.
    ///
    /// # Panics
    ///
    /// Beyond 2^31 values.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let len = self.len();
        assert!(len < 1 << 31, "more than 2^31 values in a ring");
        if len > 0 {
            let oldest = self.slot(self.removed);
            self.slots.rotate_left(oldest);
        }
        self.slots.resize_with((2 * len).max(4), T::default);
        (self.removed, self.added) = (0, len as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// The ring returns the same values as a [`VecDeque`]: while it grows at any position of its oldest value,
    /// and while its counters pass 2^32.
    #[test]
    fn values_leave_in_the_order_in_which_they_came() {
        let mut draw = crate::RandomStreams::new(1, 0).stream("ring");
        for (adds, start) in [(0.4, 0), (0.5, u32::MAX - 100), (0.6, u32::MAX - 3000)] {
            let (mut ring, mut reference) = (Ring::default(), VecDeque::new());
            (ring.removed, ring.added) = (start, start);
            for value in 1..20_000_u32 {
                if draw.random_bool(adds) {
                    ring.push(value);
                    reference.push_back(value);
                } else {
                    assert_eq!(ring.pop(), reference.pop_front());
                }
                assert_eq!((ring.len(), ring.oldest()), (reference.len(), reference.front()));
                assert_eq!(ring.is_empty(), reference.is_empty());
            }
        }
    }
}
