use std::marker::PhantomData;

/// Slab of values. An [`Id`] cannot be copied, so its owner removes the value exactly once. Values left at
/// the end of a run can be counted.
#[derive(Debug)]
pub struct Arena<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

/// Key of one value in an [`Arena`], neither `Copy` nor `Clone`.
#[derive(Debug)]
#[must_use = "the value behind it would stay in the arena for ever"]
pub struct Id<T> {
    index: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// Returns the slot of the value, for logs and hashes. Stored values have different slots.
    pub fn index(&self) -> u32 {
        self.index
    }
}

impl<T> Default for Id<T> {
    /// Returns the key of no value, for an empty slot of a [`Ring`](crate::Ring).
    fn default() -> Self {
        Id { index: u32::MAX, of: PhantomData }
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// Creates an empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Inserts a value, and returns its key.
    pub fn insert(&mut self, value: T) -> Id<T> {
        let index = match self.free.pop() {
            Some(i) => {
                self.slots[i as usize] = Some(value);
                i
            }
            None => {
                self.slots.push(Some(value));
                u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 packets in flight")
            }
        };
        Id { index, of: PhantomData }
    }

    /// Returns the value with this key.
    pub fn get(&self, id: &Id<T>) -> &T {
        self.slots[id.index as usize].as_ref().expect("an id belongs to one arena")
    }

    /// Returns mutable access to a value.
    pub fn get_mut(&mut self, id: &Id<T>) -> &mut T {
        self.slots[id.index as usize].as_mut().expect("an id belongs to one arena")
    }

    /// Removes and returns the value with this key.
    pub fn take(&mut self, id: Id<T>) -> T {
        self.free.push(id.index);
        self.slots[id.index as usize].take().expect("an id belongs to one arena")
    }

    /// Removes a value without returning it. The memory is kept until a new value replaces the old one.
    #[inline]
    pub fn discard(&mut self, id: Id<T>) {
        self.free.push(id.index);
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// True if `matches` returns true for the slot of any stored value. Tests all slots.
    pub fn any_slot(&self, matches: impl Fn(u32) -> bool) -> bool {
        let free = self.free.iter().filter(|&&slot| matches(slot)).count();
        (0..self.slots.len() as u32).filter(|&slot| matches(slot)).count() > free
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arena_slots_are_reused_and_counted() {
        let mut a = Arena::new();
        let (x, y) = (a.insert("x"), a.insert("y"));
        assert_eq!(a.take(x), "x");
        let z = a.insert("z");
        assert_eq!((z.index(), a.len()), (0, 2), "the free slot is used again");
        assert_eq!(a.take(y), "y");
        a.discard(z);
        assert!(a.is_empty());
        assert_eq!(a.insert("w").index(), 0, "and again");
        assert!(a.any_slot(|slot| slot == 0) && !a.any_slot(|slot| slot == 1));
    }
}
