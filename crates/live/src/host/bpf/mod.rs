//! BPF congestion controls in the kernel of this machine, for the duration of an emulation. Only descriptors
//! of this process refer to the BPF objects. The kernel closes these descriptors when the process ends for
//! any reason. For objects that stay in the kernel, see [`deployment`].

mod call;
mod configuration;
pub mod deployment;
mod prepared;

use super::netlink::Netlink;
use airhop_bpf::loading::LoadableObject;
use prepared::PreparedObject;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;

/// Maximum number of registered objects whose congestion controls have equal names.
const MAX_NAME_ATTEMPTS: usize = 9;

/// Object with a congestion control that is registered in the kernel until the value is dropped.
#[derive(Debug)]
pub struct RegisteredObject {
    name: String,
    prepared: PreparedObject,
    filters: Vec<OwnedFd>,
    /// Link that maintains the registration.
    _link: OwnedFd,
}

impl RegisteredObject {
    /// Registers the congestion control `name` of an object. If another emulation or the user has already
    /// registered this name, the congestion control gets a different name; see [`RegisteredObject::name`].
    ///
    /// # Errors
    ///
    /// Returns a message with the name of the program or map, and the missing feature or the error of the
    /// kernel.
    pub fn new(object: LoadableObject, name: &str) -> Result<Self, String> {
        let prepared = PreparedObject::new(object)?;
        let control = prepared.find_control(name)?;
        let free = (1..=MAX_NAME_ATTEMPTS)
            .map(|number| attempt_name(name, number))
            .filter(|name| !is_control_available(name));
        let mut registered =
            Err(format!("the kernel already has {MAX_NAME_ATTEMPTS} congestion controls of that name"));
        for own in free {
            registered = prepared.register(control, &own)?.map(|link| (own, link));
            if registered.is_ok() {
                break;
            }
        }
        let (own, link) = registered?;
        let filters = prepared.load_filters()?;
        Ok(RegisteredObject { name: own, prepared, filters, _link: link })
    }

    /// Returns the name of the registered congestion control in the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Attaches the object's packet programs to the ingress of a device in this thread's network namespace.
    /// The programs stay attached as long as the returned descriptors are open. Before Linux 6.6 there are no
    /// tcx links, and the programs stay attached as long as the device exists.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel if the kernel rejects both tcx links and filters.
    pub fn attach_filters(&self, device: u32) -> io::Result<Vec<OwnedFd>> {
        let links: io::Result<Vec<_>> =
            self.filters.iter().map(|program| call::attach_tcx(program, device)).collect();
        links.or_else(|_| self.attach_clsact_filters(device).map(|()| Vec::new()))
    }

    /// Attaches the packet programs as clsact filters, without tcx. The filters stay until the device
    /// disappears.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn attach_clsact_filters(&self, device: u32) -> io::Result<()> {
        Netlink::open()?.add_filters(device, &self.filters)
    }

    /// Returns the value of an eight-byte global variable; `None` if the object has no such variable.
    pub fn read_counter(&self, name: &str) -> Option<u64> {
        let mut maps = self.prepared.object.maps.iter().zip(&self.prepared.maps);
        let (at, (map, descriptor)) =
            maps.find_map(|both| Some((*both.0.variable_offsets.get(name)? as usize, both)))?;
        let value = call::read_map_value(descriptor, map.value_bytes as usize).ok()?;
        value.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
    }
}

/// Returns the name for attempt `number`: `name`, or a shortened `name` followed by the number.
fn attempt_name(name: &str, number: usize) -> String {
    const MAX_NAME_BYTES: usize = 15;
    match number {
        1 => name.to_owned(),
        _ => format!("{}.{number}", name.get(..MAX_NAME_BYTES - 2).unwrap_or(name)),
    }
}

/// Returns the names of the congestion controls in the kernel (ip-sysctl, tcp_available_congestion_control).
pub fn available_controls() -> Vec<String> {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    known.split_whitespace().map(str::to_owned).collect()
}

/// True if the kernel has a congestion control with this name.
pub fn is_control_available(name: &str) -> bool {
    available_controls().iter().any(|known| known == name)
}
