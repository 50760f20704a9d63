//! BPF object with types and maps in the kernel, and the loading of its programs.

use super::call::{self, AcceptedProgram, RefusedProgram};
use super::configuration;
use airhop_bpf::loading::{
    KernelTypes, LoadTimeValue, LoadableCongestionControl, LoadableObject, LoadableProgram, MemberValue,
    ProgramKind, StructOps,
};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// File with the types of the running kernel.
const KERNEL_TYPES_FILE: &str = "/sys/kernel/btf/vmlinux";
const CONGESTION_OPS_STRUCTURE: &str = "tcp_congestion_ops";
/// Part of the message about a callback that the kernel's `struct tcp_congestion_ops` lacks.
const NO_MEMBER: &str = "is not a member of struct tcp_congestion_ops of this kernel";
/// Number of verifier log lines that a message quotes.
const MAX_QUOTED_LINES: usize = 3;

/// BPF object with types and maps in the kernel.
#[derive(Debug)]
pub(super) struct PreparedObject {
    pub(super) object: LoadableObject,
    pub(super) maps: Vec<OwnedFd>,
    kernel: KernelTypes,
    structure: StructOps,
    types: OwnedFd,
}

impl PreparedObject {
    /// Loads the types of an object, and creates its maps.
    pub(super) fn new(mut object: LoadableObject) -> Result<Self, String> {
        object.set_kconfig_values(configuration::option_value);
        let file = fs::read(KERNEL_TYPES_FILE).map_err(|error| format!("{KERNEL_TYPES_FILE}: {error}"))?;
        let kernel = KernelTypes::read(&file).map_err(|why| format!("{KERNEL_TYPES_FILE}: {why}"))?;
        let structure = kernel
            .struct_ops(CONGESTION_OPS_STRUCTURE)
            .ok_or("this kernel accepts no congestion control from BPF (needs CONFIG_BPF_JIT)")?;
        let types = call::load_types(&object.btf_types).map_err(|error| format!("its types: {error}"))?;
        let maps = object
            .maps
            .iter()
            .map(|map| call::create_map(map, &types).map_err(|error| format!("map {}: {error}", map.name)));
        let maps = maps.collect::<Result<_, _>>()?;
        Ok(PreparedObject { object, maps, kernel, structure, types })
    }

    /// Returns the congestion control with this name; an error if the object has none.
    pub(super) fn find_control(&self, name: &str) -> Result<&LoadableCongestionControl, String> {
        let control = self.object.congestion_controls.iter().find(|control| control.name == name);
        control.ok_or_else(|| format!("the object has no congestion control {name}"))
    }

    /// Loads the packet programs, in the order of the object.
    pub(super) fn load_filters(&self) -> Result<Vec<OwnedFd>, String> {
        self.filter_programs().map(|program| self.load_accepted(program, None)).collect()
    }

    /// Returns the packet programs of the object.
    pub(super) fn filter_programs(&self) -> impl Iterator<Item = &LoadableProgram> {
        self.object.programs.iter().filter(|program| program.kind == ProgramKind::Filter)
    }

    /// Returns the callbacks of a congestion control, each with its member index in the kernel's structure.
    pub(super) fn callbacks(
        &self,
        control: &LoadableCongestionControl,
    ) -> Result<Vec<(usize, &LoadableProgram)>, String> {
        let callbacks = control.members.iter().filter_map(|(name, member)| {
            let MemberValue::Program(program) = member else { return None };
            let place = self.member_index(name).ok_or_else(|| format!("{name} {NO_MEMBER}"));
            Some(place.map(|place| (place, &self.object.programs[*program])))
        });
        callbacks.collect()
    }

    /// Registers a congestion control under the name `own`. The inner result is an error if another process
    /// has registered this name in the meantime.
    pub(super) fn register(
        &self,
        control: &LoadableCongestionControl,
        own: &str,
    ) -> Result<Result<OwnedFd, String>, String> {
        let callbacks = self.callbacks(control)?.into_iter();
        let loaded = callbacks.map(|(place, program)| {
            self.load_accepted(program, Some(place)).map(|descriptor| (place, descriptor))
        });
        let map = self.create_struct_ops_map(control, own, &loaded.collect::<Result<_, _>>()?)?;
        match call::register_struct_ops(&map) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {
                Ok(Err(registration_error(own)(error)))
            }
            result => result.map(Ok).map_err(registration_error(own)),
        }
    }

    /// Creates the struct_ops map of a congestion control with loaded callbacks. The kernel checks the
    /// members.
    pub(super) fn create_struct_ops_map(
        &self,
        control: &LoadableCongestionControl,
        own: &str,
        callbacks: &BTreeMap<usize, OwnedFd>,
    ) -> Result<OwnedFd, String> {
        let structure = &self.structure;
        let mut value = vec![0; structure.value_bytes as usize];
        for (name, member) in &control.members {
            // A member that the kernel's structure does not have is omitted.
            let (MemberValue::Bytes(bytes), Some(place)) = (member, self.member_index(name)) else {
                continue;
            };
            let named = [own.as_bytes(), &[0]].concat();
            let bytes = if name == "name" { &named } else { bytes };
            write_at(&mut value, structure.data_offset + structure.member_offsets[place].1, bytes)
                .ok_or_else(|| format!("{name} is longer than in this kernel"))?;
        }
        for (place, program) in callbacks {
            let descriptor = u64::from(program.as_raw_fd() as u32).to_ne_bytes();
            write_at(&mut value, structure.data_offset + structure.member_offsets[*place].1, &descriptor);
        }
        let (id, bytes) = (structure.value_type_id, structure.value_bytes);
        let map = call::create_struct_ops(&control.variable, id, bytes, &self.types)
            .map_err(|error| format!("registering {own} by a link: {error} (needs Linux 6.4 or newer)"))?;
        call::update_map(&map, &[0; 4], &value).map_err(registration_error(own))?;
        Ok(map)
    }

    /// Inserts map descriptors and kernel function numbers into a program's code, and loads the program.
    /// `callback` is the index of the program's member.
    pub(super) fn load_program(
        &self,
        program: &LoadableProgram,
        callback: Option<usize>,
    ) -> Result<Result<AcceptedProgram, RefusedProgram>, String> {
        let mut code = program.code.clone();
        for (at, fill) in &program.load_time_values {
            let value = match fill {
                LoadTimeValue::Map(map) => self.maps[*map].as_raw_fd() as u32,
                LoadTimeValue::Kernel(name) => self.kernel.function_type_id(name).ok_or_else(|| {
                    format!("{} calls {name}, which this kernel does not have", program.name)
                })?,
            };
            write_at(&mut code, 8 * *at as u32 + 4, &value.to_ne_bytes());
        }
        let attach = callback.map(|place| (self.structure.id, place as u32));
        Ok(call::load_program(program, &code, &self.object.license, &self.types, attach))
    }

    fn load_accepted(&self, program: &LoadableProgram, callback: Option<usize>) -> Result<OwnedFd, String> {
        self.load_program(program, callback)?.map(|accepted| accepted.program).map_err(
            |RefusedProgram { error, log }| {
                let last = log[log.len().saturating_sub(MAX_QUOTED_LINES)..].join("; ");
                let why = if last.is_empty() { error.to_string() } else { format!("{error}: {last}") };
                format!("the kernel rejects {}: {why}", program.name)
            },
        )
    }

    /// Returns the index of a member in the kernel's structure.
    fn member_index(&self, member: &str) -> Option<usize> {
        self.structure.member_offsets.iter().position(|(known, _)| known == member)
    }
}

/// Returns a function that converts the error of a registration into a message.
fn registration_error(own: &str) -> impl Fn(io::Error) -> String {
    move |error| format!("registering {own}: {error}")
}

fn write_at(bytes: &mut [u8], at: u32, value: &[u8]) -> Option<()> {
    bytes.get_mut(at as usize..at as usize + value.len()).map(|place| place.copy_from_slice(value))
}
