//! BPF object compiled by clang, after parsing, linking and checking.

use crate::accesses::{self, MemberAccess};
use crate::btf::{self, Btf};
use crate::check::check_functions;
use crate::congestion::{self, CongestionControl, ProgramId};
use crate::elf::Elf;
use crate::error::{ObjectError, ObjectProblem};
use crate::fault::InstructionLocation;
use crate::instruction::{Instruction, Op};
use crate::kernel::{Helper, Layout, socket_layout};
use crate::linking::SymbolResolver;
use crate::maps::MapDefinition;
use crate::memory::Region;
use crate::program::{FunctionTable, decode};
use crate::stack;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Section names of packet programs (`tc filter … bpf`). A slash and a name may follow.
const FILTER_SECTIONS: [&str; 3] = ["tc", "tcx", "classifier"];
/// Section in which an object lists the notices that the programs understand.
const SERVICES_SECTION: &str = "airhop.services";
/// Licences that the kernel accepts as GPL-compatible (Linux `license_is_gpl_compatible`).
const GPL_COMPATIBLE_LICENSES: [&str; 6] =
    ["GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"];

/// Program that processes packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Name of the function.
    pub name: String,
    /// Program for [`VirtualMachine::filter`](crate::VirtualMachine::run_filter).
    pub program: ProgramId,
}

/// BPF object that Airhop can simulate. The object is immutable and shared by all runs. Each run has its own
/// [`VirtualMachine`](crate::VirtualMachine).
#[derive(Debug)]
pub struct Object {
    name: String,
    license: String,
    services: Vec<String>,
    btf: Arc<Btf>,
    listing: FunctionTable,
    named: Vec<MemberAccess>,
    controls: Vec<CongestionControl>,
    filters: Vec<Filter>,
    pub(crate) code: Vec<Instruction>,
    pub(crate) regions: Vec<Region>,
    pub(crate) maps: Vec<MapDefinition>,
}

impl Object {
    /// Parses an object from the bytes of a file; errors contain `name`.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a BPF object, if every kernel would reject the object, or if the
    /// object uses a kernel feature that Airhop does not simulate.
    pub fn read(bytes: &[u8], name: &str) -> Result<Object, ObjectError> {
        Object::build(bytes, name).map_err(|problem| ObjectError { file: name.to_owned(), problem })
    }

    fn build(bytes: &[u8], name: &str) -> Result<Object, ObjectProblem> {
        let elf = Elf::read(bytes)?;
        let (_, section) = elf.section(".BTF").ok_or_else(|| btf::btf_error("there is none"))?;
        let btf = Btf::read(&section.bytes)?;
        let lines = match elf.section(".BTF.ext") {
            Some((_, ext)) => {
                refuse_flavours(&btf, &ext.bytes)?;
                btf.parse_line_info(&ext.bytes)?
            }
            None => Vec::new(),
        };
        let linking = SymbolResolver::new(&elf, &btf)?;
        let listing = FunctionTable::new(&elf, &linking, &lines, &btf)?;
        let located =
            |(at, why)| ObjectProblem::Instruction { place: listing.instruction_location(at, &btf), why };
        let mut code = decode(&elf, &linking).map_err(located)?;
        accesses::relocate_bitfields(&elf, &btf, &linking, &mut code)?;
        let code = check_functions(&code, &listing).map_err(located)?;
        let controls = congestion::read_congestion_controls(&elf, &btf, &linking)?;
        let filters = find_filters(&elf, &listing);
        let license = read_license(&elf);
        let services = read_services(&elf);
        if filters.is_empty() && !services.is_empty() {
            let why =
                "names services, but has no program that reads notices; expected a program in SEC(\"tc\")"
                    .into();
            return Err(ObjectProblem::Section { section: SERVICES_SECTION.into(), why });
        }
        if controls.iter().flat_map(callback_programs).any(|program| !listing.is_function_start(program.0)) {
            return Err(ObjectProblem::Elf("a callback that is not the start of a function".into()));
        }
        if !controls.is_empty() && !GPL_COMPATIBLE_LICENSES.contains(&license.as_str()) {
            let why = format!("{license:?}, expected one of {}", GPL_COMPATIBLE_LICENSES.join(", "));
            return Err(ObjectProblem::Section { section: "license".into(), why });
        }
        let named = accesses::find_member_accesses(&elf, &btf, &linking)?;
        let (regions, maps) = (linking.regions, linking.maps);
        Ok(Object {
            name: name.to_owned(),
            license,
            services,
            btf: Arc::new(btf),
            listing,
            named,
            controls,
            filters,
            code,
            regions,
            maps,
        })
    }

    /// Returns the name used in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of the section `license`.
    pub fn license(&self) -> &str {
        &self.license
    }

    /// Returns the notice services that the programs support, the default first. The section
    /// `airhop.services` contains the names, separated by spaces. A kernel ignores this section.
    pub fn services(&self) -> &[String] {
        &self.services
    }

    /// Returns the congestion controls, in the order of the file.
    pub fn congestion_controls(&self) -> &[CongestionControl] {
        &self.controls
    }

    /// Returns the programs that process packets (`SEC("tc")`, `SEC("classifier")`), in the order of the
    /// file.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// Returns the layout of the object's `struct tcp_sock` with its nested structures. `fields` are the
    /// members that the caller sets, named without the nested structure around them: `"mss_cache"`,
    /// `"icsk_ack.pending"`, `"rtt_min.s[0].v"`. A program that reads any other member is stopped. Programs
    /// may write `icsk_ca_priv` and the members that are writable in the kernel.
    ///
    /// # Errors
    ///
    /// If the types of the object contradict each other.
    pub fn socket_layout(&self, fields: &[&'static str]) -> Result<Arc<Layout>, ObjectError> {
        self.complete_layout(socket_layout(&self.btf, fields))
    }

    /// Returns the layout of another structure that callbacks receive by pointer (`ack_sample`,
    /// `rate_sample`). Programs may only read the structure.
    ///
    /// # Errors
    ///
    /// As for [`Object::socket_layout`].
    pub fn sample_layout(
        &self,
        structure: &'static str,
        fields: &[&'static str],
    ) -> Result<Arc<Layout>, ObjectError> {
        let build = || {
            let mut layout = Layout::new(&self.btf, structure)?;
            for field in fields {
                layout.add_readable(field, field)?;
            }
            Ok(layout)
        };
        self.complete_layout(build())
    }

    fn complete_layout(&self, layout: Result<Layout, ObjectProblem>) -> Result<Arc<Layout>, ObjectError> {
        layout.map(Layout::complete).map_err(|problem| ObjectError { file: self.name.clone(), problem })
    }

    /// Checks the callbacks of a congestion control, and the packet programs, for faults that a kernel would
    /// reject. Faults are members that are not simulated or not writable, too much stack, and unaligned
    /// atomic operations. `layouts` are structures by name.
    pub(crate) fn verify(
        &self,
        control: &CongestionControl,
        layouts: &[(&[&str], &Layout)],
    ) -> Result<(), ObjectError> {
        let callbacks: Vec<usize> = callback_programs(control).map(|program| program.0).collect();
        let filters = self.filters.iter().map(|filter| filter.program.0);
        let checked = callbacks
            .iter()
            .copied()
            .chain(filters)
            .try_for_each(|entry| stack::check_stack_use(&self.code, &self.listing, entry));
        let reached: BTreeSet<usize> = callbacks
            .iter()
            .flat_map(|&entry| stack::reachable_functions(&self.code, &self.listing, entry))
            .collect();
        let in_program = |at: usize| reached.contains(&self.listing.function_at(at).start);
        let asked = control
            .program(congestion::Callback::Release)
            .and_then(|program| self.find_socket_option_call(program));
        let refused = layouts.iter().find_map(|(structures, layout)| {
            accesses::find_forbidden_access(&self.named, &self.code, in_program, structures, layout)
        });
        checked.and(asked.or(refused).map_or(Ok(()), Err)).map_err(|(at, why)| ObjectError {
            file: self.name.clone(),
            problem: ObjectProblem::Instruction { place: self.instruction_location(at), why },
        })
    }

    /// Returns the first instruction of `release` that reads or sets a socket option, and the reason. A
    /// kernel rejects such an instruction (bpf_tcp_ca_get_func_proto()).
    fn find_socket_option_call(&self, release: ProgramId) -> Option<(usize, String)> {
        let functions = stack::reachable_functions(&self.code, &self.listing, release.0);
        let body = |start| self.listing.function_at(start).start..self.listing.function_at(start).end;
        functions.into_iter().flat_map(body).find_map(|at| match self.code[at].op {
            Op::CallHelper(helper @ (Helper::SetSockOpt | Helper::GetSockOpt)) => Some((
                at,
                format!("release calls {}, which a kernel does not permit in release", helper.name()),
            )),
            _ => None,
        })
    }

    /// Returns the place of an instruction, for messages.
    pub(crate) fn instruction_location(&self, instruction: usize) -> InstructionLocation {
        self.listing.instruction_location(instruction, &self.btf)
    }
}

/// Returns an error for types such as `struct tcp_sock___old`. A kernel relocates accesses through such
/// types. Airhop uses the object's own offsets instead, and would access another structure.
fn refuse_flavours(btf: &Btf, ext: &[u8]) -> Result<(), ObjectProblem> {
    match btf.relocated_structure_names(ext)?.into_iter().find(|name| name.contains("___")) {
        Some(flavour) => {
            let why = format!("accesses by struct {flavour}: flavours of structures are not simulated");
            Err(ObjectProblem::Types { section: ".BTF.ext", why })
        }
        None => Ok(()),
    }
}

fn callback_programs(control: &CongestionControl) -> impl Iterator<Item = ProgramId> {
    congestion::Callback::ALL.into_iter().filter_map(|callback| control.program(callback))
}

fn find_filters(elf: &Elf, listing: &FunctionTable) -> Vec<Filter> {
    let functions =
        listing.functions.iter().filter(|function| is_filter(&elf.sections[function.section].name));
    functions
        .map(|function| Filter { name: function.name.clone(), program: ProgramId(function.start) })
        .collect()
}

/// True if programs of this section process packets.
pub(crate) fn is_filter(section: &str) -> bool {
    FILTER_SECTIONS.contains(&section.split('/').next().unwrap_or_default())
}

pub(crate) fn read_license(elf: &Elf) -> String {
    section_text(elf, "license", 64)
}

/// Returns the services listed in the section `airhop.services`.
fn read_services(elf: &Elf) -> Vec<String> {
    section_text(elf, SERVICES_SECTION, 256).split_whitespace().map(str::to_owned).collect()
}

/// Returns the text of a section, up to its terminating zero.
fn section_text(elf: &Elf, section: &str, most: usize) -> String {
    let bytes = elf.section(section).map_or(&[][..], |(_, section)| &section.bytes);
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()).min(most);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
