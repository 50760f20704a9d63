//! `RunState`: state shared by the connections of one run.

use airhop_base::{FlowId, NodeId};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// State shared by the connections of one run. The key is the address of the object that owns the state.
/// Replications share no state.
#[derive(Debug, Default)]
pub struct RunState(BTreeMap<usize, Arc<dyn Any + Send + Sync>>);

impl RunState {
    /// Returns the state under `key`. `make` creates the state for the first connection.
    pub fn get_or_insert_with<T: Any + Send + Sync>(
        &mut self,
        key: usize,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        if let Some(shared) = self.0.get(&key)
            && let Ok(found) = shared.clone().downcast()
        {
            return found;
        }
        let made = Arc::new(make());
        self.0.insert(key, made.clone());
        made
    }
}

/// Flow and nodes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionEnds {
    /// Flow carried by the connection.
    pub flow: FlowId,
    /// Node of the sender.
    pub local: NodeId,
    /// Node of the receiver.
    pub remote: NodeId,
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first connection creates the shared state. Another key or another run has its own state.
    #[test]
    fn the_first_connection_creates_the_shared_state() {
        let mut run = RunState::default();
        let made = [1, 1, 2].map(|key| run.get_or_insert_with(key, || vec![key]));
        assert!(Arc::ptr_eq(&made[0], &made[1]) && !Arc::ptr_eq(&made[0], &made[2]));
        assert!(!Arc::ptr_eq(&made[0], &RunState::default().get_or_insert_with(1, || vec![1_usize])));
    }
}
