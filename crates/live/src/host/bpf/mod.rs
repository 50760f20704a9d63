//! Congestion controls of BPF objects in this machine's kernel, for the duration of an emulation: descriptors
//! of this process refer to all of them, and the kernel closes these descriptors when the process ends for
//! any reason.

mod call;
mod configuration;

use super::netlink::Netlink;
use airhop_bpf::loading::{
    KernelTypes, LoadControl, LoadProgram, LoadTimeValue, Loadable, MemberValue, ProgramKind, StructOps,
};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// The types of the running kernel.
const TYPES: &str = "/sys/kernel/btf/vmlinux";
/// Maximum number of simultaneous objects whose congestion controls have equal names.
const MOST_NAMES: usize = 9;
const STRUCTURE: &str = "tcp_congestion_ops";
/// Message for a callback that is no member of the kernel's [`StructOps`].
const NO_MEMBER: &str = "is no member of struct tcp_congestion_ops of this kernel";

/// An object whose congestion control is registered in the kernel until the value is dropped.
#[derive(Debug)]
pub struct Registered {
    name: String,
    object: Loadable,
    maps: Vec<OwnedFd>,
    filters: Vec<OwnedFd>,
    /// Link that keeps the registration.
    _link: OwnedFd,
}

impl Registered {
    /// Registers the congestion control `name` of an object. If that name is registered already, by another
    /// emulation or by the user, the congestion control gets a different name: see [`Registered::name`].
    ///
    /// # Errors
    ///
    /// Returns a message with the name of the program or the map, and the missing feature or the rejection of
    /// the kernel.
    pub fn new(mut object: Loadable, name: &str) -> Result<Self, String> {
        object.configure(configuration::option);
        let file = fs::read(TYPES).map_err(|error| format!("{TYPES}: {error}"))?;
        let kernel = KernelTypes::read(&file).map_err(|why| format!("{TYPES}: {why}"))?;
        let structure = kernel
            .struct_ops(STRUCTURE)
            .ok_or("this kernel takes no congestion control from BPF (CONFIG_BPF_JIT)")?;
        let control = object.controls.iter().find(|control| control.name == name);
        let control = control.ok_or_else(|| format!("the object has no congestion control {name}"))?;
        let types = call::load_types(&object.types).map_err(|error| format!("its types: {error}"))?;
        let mut maps = Vec::new();
        for map in &object.maps {
            maps.push(call::create_map(map, &types).map_err(|error| format!("map {}: {error}", map.name))?);
        }
        let loading = Loading { object: &object, kernel: &kernel, types: &types, maps: &maps };
        let free = (1..=MOST_NAMES).map(|number| own_name(name, number)).filter(|name| !is_available(name));
        let mut registered = Err(format!("the kernel has {MOST_NAMES} of that name already"));
        for own in free {
            registered =
                loading.register(control, &own, &structure).map(|link| link.map(|link| (own, link)))?;
            if registered.is_ok() {
                break;
            }
        }
        let (own, link) = registered?;
        let filters = object.programs.iter().filter(|program| program.kind == ProgramKind::Filter);
        let filters = filters.map(|program| loading.program(program, None)).collect::<Result<_, _>>()?;
        Ok(Registered { name: own, maps, filters, _link: link, object })
    }

    /// Returns the name of the congestion control in the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Attaches the object's packet programs to the ingress of a device of this thread's network namespace,
    /// as long as the descriptors are open. On a kernel without such links (tcx, Linux 6.6), the programs
    /// stay as long as the device exists.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel if the kernel rejects filters, too.
    pub fn listen(&self, device: u32) -> io::Result<Vec<OwnedFd>> {
        let links: io::Result<Vec<_>> =
            self.filters.iter().map(|program| call::attach(program, device)).collect();
        links.or_else(|_| self.listen_by_filters(device).map(|()| Vec::new()))
    }

    /// Attaches the listener without tcx: by filters of clsact, until the device disappears.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn listen_by_filters(&self, device: u32) -> io::Result<()> {
        Netlink::open()?.add_filters(device, &self.filters)
    }

    /// Returns the value of a global variable of eight bytes, if the object has one with that name.
    pub fn counter(&self, name: &str) -> Option<u64> {
        let mut maps = self.object.maps.iter().zip(&self.maps);
        let (at, (map, descriptor)) =
            maps.find_map(|both| Some((*both.0.variables.get(name)? as usize, both)))?;
        let value = call::value(descriptor, map.value_bytes as usize).ok()?;
        value.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
    }
}

/// Returns a name, or the name with a number, truncated to the kernel's limit.
fn own_name(name: &str, number: usize) -> String {
    const LONGEST: usize = 15;
    match number {
        1 => name.to_owned(),
        _ => format!("{}.{number}", name.get(..LONGEST - 2).unwrap_or(name)),
    }
}

/// Returns the names of the congestion controls that the kernel has (ip-sysctl, tcp_available_congestion_control).
pub fn available() -> Vec<String> {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    known.split_whitespace().map(str::to_owned).collect()
}

/// True if the kernel has a congestion control of this name.
pub fn is_available(name: &str) -> bool {
    available().iter().any(|known| known == name)
}

/// State for loading an object's programs.
struct Loading<'a> {
    object: &'a Loadable,
    kernel: &'a KernelTypes,
    types: &'a OwnedFd,
    maps: &'a [OwnedFd],
}

impl Loading<'_> {
    /// Registers a congestion control under a name. The inner error means that another process registered
    /// that name in the meantime.
    fn register(
        &self,
        control: &LoadControl,
        own: &str,
        structure: &StructOps,
    ) -> Result<Result<OwnedFd, String>, String> {
        let mut value = vec![0; structure.value_bytes as usize];
        let mut programs = BTreeMap::new();
        for (name, member) in &control.members {
            let place = structure.members.iter().position(|(known, _)| known == name);
            match (member, place) {
                (MemberValue::Program(program), Some(place)) => {
                    let attach = Some((structure.id, place as u32));
                    programs.insert(place, self.program(&self.object.programs[*program], attach)?);
                }
                (MemberValue::Program(_), None) => return Err(format!("{name} {NO_MEMBER}")),
                // The kernel checks the values: members that only the kernel may set must be zero.
                (MemberValue::Bytes(bytes), Some(place)) => {
                    let named = [own.as_bytes(), &[0]].concat();
                    let bytes = if name == "name" { &named } else { bytes };
                    put(&mut value, structure.data_at + structure.members[place].1, bytes)
                        .ok_or_else(|| format!("{name} is longer than in this kernel"))?;
                }
                (MemberValue::Bytes(_), None) => {} // a kernel without this member has no use for it
            }
        }
        for (place, program) in &programs {
            let descriptor = u64::from(program.as_raw_fd() as u32).to_ne_bytes();
            put(&mut value, structure.data_at + structure.members[*place].1, &descriptor);
        }
        let refused = |error: io::Error| format!("registering {own}: {error}");
        let map =
            call::create_struct_ops(&control.variable, structure.value_id, structure.value_bytes, self.types);
        let map =
            map.map_err(|error| format!("registering {own} by a link: {error} (Linux 6.4 or newer)"))?;
        call::update(&map, &[0; 4], &value).map_err(refused)?;
        match call::register(&map) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => Ok(Err(refused(error))),
            result => result.map(Ok).map_err(refused),
        }
    }

    /// Loads a program after filling in the descriptors of maps and the numbers of functions.
    fn program(&self, program: &LoadProgram, attach: Option<(u32, u32)>) -> Result<OwnedFd, String> {
        let mut code = program.code.clone();
        for (at, fill) in &program.load_time_values {
            let value = match fill {
                LoadTimeValue::Map(map) => self.maps[*map].as_raw_fd() as u32,
                LoadTimeValue::Kernel(name) => self.kernel.function(name).ok_or_else(|| {
                    format!("{} calls {name}, which this kernel does not have", program.name)
                })?,
            };
            put(&mut code, 8 * *at as u32 + 4, &value.to_ne_bytes());
        }
        call::load_program(program, &code, &self.object.license, self.types, attach)
            .map_err(|why| format!("the kernel refuses {}: {why}", program.name))
    }
}

fn put(bytes: &mut [u8], at: u32, value: &[u8]) -> Option<()> {
    bytes.get_mut(at as usize..at as usize + value.len()).map(|place| place.copy_from_slice(value))
}
