//! Samples of the connections at the nodes. A separate thread reads them, so no packet waits.

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

/// Interval between samples of a connection: a few round-trip times of typical paths in Airhop.
const EVERY: Duration = Duration::from_millis(50);
/// Maximum number of samples that wait for the loop; further samples are lost, and the next round repeats
/// them.
pub const WAITING: usize = 4096;

/// Opens a socket in each namespace.
///
/// # Errors
///
/// Returns an error if the kernel rejects the request, or has no tcp_diag.
pub fn open(stage: &Stage) -> io::Result<Vec<(NodeId, Diag)>> {
    let opened = stage.namespaces.iter().map(|(node, namespace)| {
        let diag = namespace.within(Diag::open)??;
        diag.connections()?;
        Ok((*node, diag))
    });
    opened.collect()
}

/// Reads all connections until `over`, and sends the changes. `names` has pairs of the kernel's name and the
/// requested name of a congestion control; samples have the requested name.
pub fn sample_connections(
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
            // A failed reading means one sample less.
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
