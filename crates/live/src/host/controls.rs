//! Congestion controls of the nodes, set by routes in each node's namespace. No setting of the host changes.

use super::Namespaces;
use super::bpf::{RegisteredObject, available_controls, is_control_available};
use super::diag::SockDiag;
use super::namespace::Namespace;
use super::netlink::Netlink;
use super::tun::DEVICE_NAME;
use crate::emulation::{Emulation, EmulationError, NodeCongestionControl};
use airhop_base::NodeId;
use airhop_wire::addressing;
use nix::net::if_::if_nametoindex;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Variables of an object that count received notices and avoided window reductions.
const COUNTER_VARIABLES: [&str; 2] = ["notices_heard", "cuts_spared"];
/// Number of retransmissions of the last data of an ended program (ip-sysctl, tcp_orphan_retries; eight by
/// default). If the emulator is killed, the connections have no peer. With this limit the connections and the
/// BPF object disappear within half a minute.
const ORPHAN_RETRIES: &str = "5";

/// Congestion controls of the nodes, in use until the value is dropped.
#[derive(Default)]
pub struct NodeControls {
    /// Registered objects, by the requested name of the congestion control.
    registered: Vec<(String, Arc<RegisteredObject>)>,
    /// Descriptors that keep the packet programs attached to the ingress of their devices.
    listening: Vec<OwnedFd>,
    names: Vec<(NodeId, String)>,
}

impl NodeControls {
    /// Registers the BPF objects and selects each object's congestion control on its node.
    pub fn open(emulation: &Emulation, stage: &Namespaces) -> Result<Self, EmulationError> {
        let mut controls = NodeControls::default();
        for control in &emulation.congestion_controls {
            controls.add(control, stage).map_err(|why| EmulationError::Control {
                name: emulation.node_name(control.node).to_owned(),
                control: control.name.clone(),
                why,
            })?;
        }
        Ok(controls)
    }

    fn add(&mut self, control: &NodeCongestionControl, stage: &Namespaces) -> Result<(), String> {
        let namespace = stage.namespace(control.node).map_err(|error| error.to_string())?;
        let registered =
            control.object.as_ref().map(|object| self.register_once(&control.name, object)).transpose()?;
        let name = registered.as_ref().map_or(control.name.as_str(), |registered| registered.name());
        let (node, name, listens) = (control.node, name.to_owned(), registered);
        let listening = run_in_namespace(namespace, move || {
            set_congestion_control(node, &name)?;
            let Some(registered) = listens else { return Ok(Vec::new()) };
            // In some containers the file is read-only. The remains of a killed emulator then stay longer.
            let _ = fs::write("/proc/sys/net/ipv4/tcp_orphan_retries", ORPHAN_RETRIES);
            let device = if_nametoindex(DEVICE_NAME).map_err(|error| error.to_string())?;
            registered.attach_filters(device).map_err(|error| {
                format!("listening for notices: {error} (needs tcx, Linux 6.6 or newer, or clsact)")
            })
        })?;
        self.listening.extend(listening);
        self.names.push((control.node, control.name.clone()));
        Ok(())
    }

    fn register_once(
        &mut self,
        name: &str,
        object: &airhop_bpf::loading::LoadableObject,
    ) -> Result<Arc<RegisteredObject>, String> {
        if let Some((_, registered)) = self.registered.iter().find(|(known, _)| known == name) {
            return Ok(registered.clone());
        }
        let registered = Arc::new(RegisteredObject::new(object.clone(), name)?);
        self.registered.push((name.to_owned(), registered.clone()));
        Ok(registered)
    }

    /// Returns the name in the kernel and the requested name of each object's congestion control.
    pub fn kernel_and_requested_names(&self) -> Vec<(String, String)> {
        self.registered
            .iter()
            .map(|(asked, registered)| (registered.name().to_owned(), asked.clone()))
            .collect()
    }

    /// Returns the name of the congestion control requested for a node; `None` without a request.
    pub fn requested_name(&self, node: NodeId) -> Option<&String> {
        self.names.iter().find(|(at, _)| *at == node).map(|(_, name)| name)
    }

    /// Ends the connections of the nodes, so that the kernel can free the BPF objects. Returns the sums of
    /// the objects' counters; `None` without such counters.
    pub fn close(self, stage: &Namespaces) -> Option<[u64; 2]> {
        let counts = self.registered.iter().filter_map(|(_, registered)| {
            let [heard, spared] = COUNTER_VARIABLES.map(|name| registered.read_counter(name));
            Some([heard?, spared?])
        });
        let counts = counts.reduce(|sum, more| [sum[0] + more[0], sum[1] + more[1]]);
        for (node, _) in self.names.iter().filter(|_| !self.registered.is_empty()) {
            if let Ok(namespace) = stage.namespace(*node) {
                // A kernel without INET_DIAG_DESTROY ends the connections itself, after its retransmissions.
                let _ = run_in_namespace(namespace, || {
                    SockDiag::open().and_then(|diag| diag.abort_all()).map_err(|error| error.to_string())
                });
            }
        }
        counts
    }
}

fn run_in_namespace<T: Send + 'static>(
    namespace: &Namespace,
    job: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    namespace.run_job(job).map_err(|error| error.to_string())?
}

/// Sets the congestion control of connections opened in this thread's namespace.
fn set_congestion_control(node: NodeId, name: &str) -> Result<(), String> {
    let refused = |error: io::Error| {
        if error.raw_os_error() == Some(libc::EINVAL) && !is_control_available(name) {
            return format!("this kernel does not have it (it has {})", available_controls().join(", "));
        }
        format!("setting it on the routes of the node: {error}")
    };
    let netlink = Netlink::open().map_err(refused)?;
    let device = if_nametoindex(DEVICE_NAME).map_err(|error| refused(error.into()))?;
    netlink
        .set_congestion_control(device, addressing::ipv4_address(node).into(), 8, name)
        .map_err(refused)?;
    if has_ipv6() {
        netlink
            .set_congestion_control(device, addressing::ipv6_address(node).into(), 64, name)
            .map_err(refused)?;
    }
    Ok(())
}

/// True if the device has an IPv6 address (proc_pid_net(5)).
fn has_ipv6() -> bool {
    let table = fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default();
    table.lines().any(|line| line.ends_with(DEVICE_NAME))
}
