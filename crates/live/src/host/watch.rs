//! Samples of the connections at the nodes, by a thread of its own: no packet waits for it.

use super::Stage;
use super::diag::Diag;
use crate::clock::Clock;
use crate::sockets::{Sampled, SocketInfo};
use airhop_base::NodeId;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

/// Between two looks at a connection: some rounds of the paths that Airhop is about.
const EVERY: Duration = Duration::from_millis(50);
/// Maximum number of samples that wait for the loop; later ones are lost, and the next round has them.
pub const WAITING: usize = 4096;

/// Opens a socket in each namespace.
///
/// # Errors
/// The kernel refuses, or has no tcp_diag.
pub fn open(stage: &Stage) -> io::Result<Vec<(NodeId, Diag)>> {
    let opened = stage.namespaces.iter().map(|(node, namespace)| {
        let diag = namespace.within(Diag::open)??;
        diag.connections()?;
        Ok((*node, diag))
    });
    opened.collect()
}

/// Reads all connections until `over`, and sends the changes. A congestion control has the second of its `names`, if
/// the kernel has it under the first.
pub fn watch(
    nodes: &[(NodeId, Diag)],
    names: &[(String, String)],
    clock: &impl Clock,
    over: &AtomicBool,
    to: &SyncSender<Sampled>,
) {
    let mut known: HashMap<(NodeId, SocketAddr, SocketAddr), SocketInfo> = HashMap::new();
    while !over.load(Ordering::Acquire) {
        for (node, diag) in nodes {
            let at = clock.now();
            // A look that failed is one sample less.
            for mut info in diag.connections().unwrap_or_default() {
                if let Some((_, asked)) = names.iter().find(|(own, _)| *own == info.control) {
                    info.control.clone_from(asked);
                }
                let key = (*node, info.local, info.peer);
                if known.get(&key) != Some(&info)
                    && to.try_send(Sampled { at, node: *node, info: info.clone() }).is_ok()
                {
                    known.insert(key, info);
                }
            }
        }
        if known.len() > WAITING {
            known.clear();
        }
        thread::sleep(EVERY);
    }
}
