//! Object in a run: maps, global variables, and calls of programs.

use crate::congestion::ProgramId;
use crate::fault::{FaultCause, ProgramFault};
use crate::interpreter;
use crate::kernel::{HelperContext, Kfunc, Printer, Socket, SocketBuffer, StructImage, Verdict};
use crate::maps::Map;
use crate::memory::{AddressSpace, FRAME_BYTES, GuardedBytes, MAX_FRAMES, Memory, READ, Region};
use crate::object::Object;
use airhop_base::SplitMix64;
use airhop_tcp::seams::RunState;
use std::sync::{Arc, Mutex};

/// Maximum number of callback arguments after the socket.
pub const MAX_ARGUMENTS: usize = 4;
/// Total size of the arguments in bytes, 8 for each.
const ARGUMENT_BYTES: usize = 8 * (1 + MAX_ARGUMENTS);

/// Argument of a callback.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// Number as the kernel passes it, zero- or sign-extended to 64 bits.
    Number(u64),
    /// Pointer to a structure. A callback has at most one pointer argument besides the socket.
    Sample(&'a StructImage),
}

/// State of an object in one run: maps, global variables, stack and instruction budget. As in the kernel, all
/// sockets of the run share the maps and the global variables. Different runs share no state.
#[derive(Clone, Debug)]
pub struct VirtualMachine {
    object: Arc<Object>,
    regions: Vec<Region>,
    maps: Vec<Map>,
    stack: Box<[u8; FRAME_BYTES * MAX_FRAMES]>,
    arguments: [u8; ARGUMENT_BYTES],
    buffer: Box<SocketBuffer>,
    random: SplitMix64,
    scratch: Vec<u8>,
    /// Number of sockets created so far.
    sockets: u32,
    /// Number of instructions that programs may still execute.
    credit: u64,
    /// Number of lines that programs printed.
    printed: u32,
}

/// Maximum number of instructions per call, as in the kernel's verifier.
const MAX_CALL_INSTRUCTIONS: u32 = 1_000_000;
/// Initial instruction budget of a run. Each call adds `CREDIT_PER_CALL` instructions.
const INITIAL_CREDIT: u64 = 500_000_000;
const CREDIT_PER_CALL: u64 = 30_000;

impl VirtualMachine {
    /// Creates the state of an object at the start of a run. `seed` seeds the random numbers of programs
    /// without a socket.
    pub fn new(object: Arc<Object>, seed: u64) -> VirtualMachine {
        let mut regions = object.regions.clone();
        let mut maps = Vec::new();
        for definition in &object.maps {
            let (map, values) = Map::new(definition.clone(), regions.len());
            regions.push(values);
            maps.push(map);
        }
        VirtualMachine {
            object,
            regions,
            maps,
            stack: Box::new([0; FRAME_BYTES * MAX_FRAMES]),
            arguments: [0; ARGUMENT_BYTES],
            buffer: Box::new(SocketBuffer::new()),
            random: SplitMix64::new(seed),
            scratch: Vec::new(),
            sockets: 0,
            credit: INITIAL_CREDIT,
            printed: 0,
        }
    }

    /// Returns the object of a run. The first connection loads the object, and all connections share it.
    pub(crate) fn load_shared(
        object: &Arc<Object>,
        run: &mut RunState,
        seed: u32,
    ) -> Arc<Mutex<VirtualMachine>> {
        let load = || Mutex::new(VirtualMachine::new(object.clone(), seed.into()));
        run.get_or_insert_with(Arc::as_ptr(object).addr(), load)
    }

    /// Returns the number of a new socket in this run.
    pub fn allocate_socket_number(&mut self) -> u32 {
        self.sockets += 1;
        self.sockets - 1
    }

    /// Returns the object.
    pub fn object(&self) -> &Arc<Object> {
        &self.object
    }

    /// Calls a callback's program for a socket, and returns the program's result. `now_ns` is the time since
    /// the start of the run. If the callback returns a `u32`, only the low 32 bits are valid.
    ///
    /// # Errors
    /// Returns a fault if the program performed an operation that the kernel's verifier would have rejected,
    /// or that Airhop does not simulate.
    ///
    /// # Panics
    /// If `arguments` has more than [`MAX_ARGUMENTS`] entries.
    pub fn call(
        &mut self,
        program: ProgramId,
        socket: &mut Socket,
        arguments: &[Argument<'_>],
        now_ns: u64,
    ) -> Result<u64, Box<ProgramFault>> {
        const READABLE: [u8; ARGUMENT_BYTES] = [READ; ARGUMENT_BYTES];
        assert!(arguments.len() <= MAX_ARGUMENTS, "a callback has at most {MAX_ARGUMENTS} arguments");
        let length = 8 * (1 + arguments.len());
        let mut sample = None;
        let (words, _) = self.arguments.as_chunks_mut();
        words[0] = AddressSpace::Socket.address(0).to_le_bytes();
        for (word, argument) in words[1..].iter_mut().zip(arguments) {
            let value = match argument {
                Argument::Number(number) => *number,
                Argument::Sample(image) => {
                    sample = Some(*image);
                    AddressSpace::Sample.address(0)
                }
            };
            *word = value.to_le_bytes();
        }
        let context = GuardedBytes { bytes: &mut self.arguments[..length], rights: &READABLE[..length] };
        let memory = Memory {
            stack: &mut self.stack,
            context,
            socket: Some(socket),
            sample,
            packet: &[],
            regions: &mut self.regions,
            first_map_region: self.object.regions.len(),
            active_frames: 0,
        };
        let printer = Printer { object: self.object.name(), printed_lines: &mut self.printed };
        let (maps, random, scratch) = (&mut self.maps, &mut self.random, &mut self.scratch);
        let kernel = HelperContext { memory, maps, random, now_ns, scratch, held_lock: None, printer };
        run_program(&self.object, program, kernel, &mut self.credit)
    }

    /// Runs a packet program on an IP datagram, and returns the program's verdict.
    ///
    /// # Errors
    ///
    /// Returns the same faults as [`VirtualMachine::call`], and a fault for a verdict that is not simulated.
    pub fn run_filter(
        &mut self,
        program: ProgramId,
        packet: &[u8],
        now_ns: u64,
    ) -> Result<Verdict, Box<ProgramFault>> {
        self.buffer.set_packet(packet);
        let buffer = &mut *self.buffer;
        let memory = Memory {
            stack: &mut self.stack,
            context: GuardedBytes { bytes: &mut buffer.bytes, rights: &buffer.rights },
            socket: None,
            sample: None,
            packet,
            regions: &mut self.regions,
            first_map_region: self.object.regions.len(),
            active_frames: 0,
        };
        let printer = Printer { object: self.object.name(), printed_lines: &mut self.printed };
        let (maps, random, scratch) = (&mut self.maps, &mut self.random, &mut self.scratch);
        let kernel = HelperContext { memory, maps, random, now_ns, scratch, held_lock: None, printer };
        let action = run_program(&self.object, program, kernel, &mut self.credit)?;
        Verdict::from_action(action as i32).map_err(|action| {
            let why = format!("returns the action {action}; TC_ACT_OK (0) and TC_ACT_SHOT (2) are simulated");
            program_fault(&self.object, (program.0, FaultCause::Call { function: "tc", why }))
        })
    }

    /// Returns the value of a key in a map; `None` if the map or the key does not exist.
    pub fn map_value(&mut self, map: &str, key: &[u8]) -> Option<&[u8]> {
        let map = self.maps.iter_mut().find(|candidate| candidate.definition.name == map)?;
        if key.len() != map.definition.key_bytes {
            return None;
        }
        let start = map.find_slot(key)? as usize * map.definition.stride();
        Some(&self.regions[map.region].bytes[start..start + map.definition.value_bytes])
    }
}

/// Runs a program. The error contains the place of the failed instruction.
fn run_program(
    object: &Object,
    program: ProgramId,
    mut kernel: HelperContext<'_>,
    credit: &mut u64,
) -> Result<u64, Box<ProgramFault>> {
    *credit += CREDIT_PER_CALL;
    let budget = MAX_CALL_INSTRUCTIONS.min(u32::try_from(*credit).unwrap_or(u32::MAX));
    let done =
        interpreter::run(&object.code, program.0, AddressSpace::Context.address(0), &mut kernel, budget);
    let (result, left) = done.map_err(|(at, cause)| match cause {
        FaultCause::Endless(_) if budget < MAX_CALL_INSTRUCTIONS => {
            program_fault(object, (at, FaultCause::Exhausted(INITIAL_CREDIT, CREDIT_PER_CALL)))
        }
        cause => program_fault(object, (at, cause)),
    })?;
    *credit -= u64::from(budget - left);
    Ok(result)
}

#[cold]
fn program_fault(object: &Object, (at, cause): (usize, FaultCause)) -> Box<ProgramFault> {
    Box::new(ProgramFault {
        object: object.name().to_owned(),
        location: object.instruction_location(at),
        cause,
    })
}

impl HelperContext<'_> {
    /// Calls a kernel function with the registers r1 to r3: the socket, and two further arguments.
    pub(crate) fn call_kfunc(
        &mut self,
        kfunc: Kfunc,
        [first, second, third]: [u64; 3],
    ) -> Result<u64, FaultCause> {
        let wrong = |why: String| FaultCause::Call { function: kfunc.name(), why };
        if self.held_lock.is_some() {
            return Err(wrong("a kernel refuses calls of its functions while a lock is held".into()));
        }
        if kfunc.is_cubic() && first == AddressSpace::Socket.address(0) {
            return self.call_cubic(kfunc, [second, third]).map_err(wrong);
        }
        match &mut self.memory.socket {
            Some(socket) if first == AddressSpace::Socket.address(0) => {
                let window = socket.window_fields;
                kfunc.call(&window, &mut socket.image, [second, third]).map_err(wrong)
            }
            _ => Err(wrong(format!("{first:#x} is not the socket of this call"))),
        }
    }
}
