//! Samples of the connections at the nodes, taken by a separate thread so that no packet waits.

use super::Namespaces;
use super::diag::SockDiag;
use crate::clock::Clock;
use crate::sockets::{ConnectionSample, SocketInfo};
use airhop_base::NodeId;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

/// Interval between two samples of a connection: some round-trip times of typical paths.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of samples that wait for the loop. Further samples are dropped until the next round.
pub const MAX_WAITING_SAMPLES: usize = 4096;

/// Opens a socket for samples in each namespace.
///
/// # Errors
///
/// Returns an error if the kernel rejects the request, or does not have tcp_diag.
pub fn open_diag_sockets(stage: &Namespaces) -> io::Result<Vec<(NodeId, SockDiag)>> {
    let opened = stage.namespaces.iter().map(|(node, namespace)| {
        let diag = namespace.run_job(SockDiag::open)??;
        diag.connections()?;
        Ok((*node, diag))
    });
    opened.collect()
}

/// Samples all connections until `over` is true, and sends the changed samples. `names` are pairs of a
/// congestion control's name in the kernel and the requested name. Samples contain the requested name.
pub fn sample_connections(
    nodes: &[(NodeId, SockDiag)],
    names: &[(String, String)],
    clock: &impl Clock,
    over: &AtomicBool,
    to: &SyncSender<ConnectionSample>,
) {
    let mut known: HashMap<(NodeId, SocketAddr, SocketAddr), SocketInfo> = HashMap::new();
    while !over.load(Ordering::Acquire) {
        for (node, diag) in nodes {
            let at = clock.now();
            // If the request fails, this sample is missing.
            for mut info in diag.connections().unwrap_or_default() {
                if let Some((_, asked)) = names.iter().find(|(own, _)| *own == info.congestion_control) {
                    info.congestion_control.clone_from(asked);
                }
                let key = (*node, info.local, info.peer);
                if known.get(&key) != Some(&info)
                    && to.try_send(ConnectionSample { at, node: *node, info: info.clone() }).is_ok()
                {
                    known.insert(key, info);
                }
            }
        }
        if known.len() > MAX_WAITING_SAMPLES {
            known.clear();
        }
        thread::sleep(SAMPLE_INTERVAL);
    }
}
