//! Socket of a flow: `struct tcp_sock` with its nested structures.

use super::kfuncs::WindowFields;
use super::layout::{Layout, StructImage, WRITABLE_MEMBERS};
use crate::btf::Btf;
use crate::error::ObjectProblem;
use airhop_base::SplitMix64;
use airhop_tcp::kernel_ops::{CubicTcp, SockSnapshot};
use std::sync::Arc;

/// Nested structures of a socket, outermost first. Each structure begins with the next in the list.
pub(crate) const NESTED_STRUCTURES: [&str; 5] =
    ["tcp_sock", "inet_connection_sock", "inet_sock", "sock", "sock_common"];
/// Names of the members that contain the next nested structure.
const NESTED_MEMBERS: [&str; 4] = ["inet_conn", "icsk_inet", "sk", "__sk_common"];
/// Returns the layout of a socket: `tcp_sock`, or the outermost nested structure that the object declares.
/// `fields` are the members that the simulation sets, named without the nested structure around them.
pub(crate) fn socket_layout(btf: &Arc<Btf>, fields: &[&'static str]) -> Result<Layout, ObjectProblem> {
    let outermost = NESTED_STRUCTURES.iter().position(|name| btf.find_composite(name).is_some()).unwrap_or(0);
    check_nesting(btf, outermost)?;
    let mut layout = Layout::new(btf, NESTED_STRUCTURES[outermost])?;
    for field in WindowFields::MEMBER_NAMES.iter().chain(fields) {
        let path = nested_path(&layout, outermost, field);
        match WRITABLE_MEMBERS.contains(field) {
            true => layout.add_writable(field, &path)?,
            false => layout.add_readable(field, &path)?,
        };
    }
    let path = nested_path(&layout, outermost, "icsk_ca_priv");
    layout.add_private_state(&path)?;
    Ok(layout)
}

/// Returns the path of a member through the nested structures, or `field` if no structure contains the
/// member.
fn nested_path(layout: &Layout, outermost: usize, field: &str) -> String {
    let ways = (outermost..NESTED_STRUCTURES.len()).map(|inner| {
        let mut path: Vec<&str> = NESTED_MEMBERS[outermost..inner].to_vec();
        path.push(field);
        path.join(".")
    });
    ways.into_iter().find(|path| layout.declares(path)).unwrap_or_else(|| field.to_owned())
}

/// Checks that the nested structures start at the same byte in the object's types. Otherwise members would
/// overlap, because programs cast socket pointers between these structures.
fn check_nesting(btf: &Btf, outermost: usize) -> Result<(), ObjectProblem> {
    let Some(root) = btf.find_composite(NESTED_STRUCTURES[outermost]) else { return Ok(()) };
    for inner in outermost + 1..NESTED_STRUCTURES.len() {
        if btf.find_composite(NESTED_STRUCTURES[inner]).is_none() {
            continue;
        }
        let path = NESTED_MEMBERS[outermost..inner].join(".");
        if !matches!(btf.locate_member(root, &path)?, Some(at) if at.bit_offset == 0) {
            let (outer, inner) = (NESTED_STRUCTURES[outermost], NESTED_STRUCTURES[inner]);
            let why = format!(
                "struct {outer} does not begin with struct {inner} (expected as {path}): a cast between them would access other members"
            );
            return Err(ObjectProblem::Types { section: ".BTF", why });
        }
    }
    Ok(())
}

/// Socket of a flow, as seen by the congestion control.
#[derive(Debug)]
pub struct Socket {
    /// Values of the structure.
    pub image: StructImage,
    /// Number of the socket in the run, the key in `BPF_MAP_TYPE_SK_STORAGE` maps.
    pub(crate) number: u32,
    pub(crate) window_fields: WindowFields,
    pub(crate) random: SplitMix64,
    pub(crate) ack_request: Option<u32>,
    /// True if the last call set the maximum pacing rate.
    pub(crate) has_pacing_limit: bool,
    /// Arguments and state of the kernel's own CUBIC, for an object that calls CUBIC.
    pub(crate) snapshot: SockSnapshot,
    pub(crate) cubic: Option<Box<CubicTcp>>,
}

impl Socket {
    /// Creates a zero-filled socket. The layout comes from
    /// [`Object::socket_layout`](crate::Object::socket_layout). `number` is unique among the sockets of a
    /// [`VirtualMachine`](crate::VirtualMachine), and `seed` seeds `bpf_get_prandom_u32`.
    ///
    /// # Panics
    ///
    /// If the layout belongs to another structure.
    pub fn new(layout: &Arc<Layout>, number: u32, seed: u64) -> Socket {
        Socket {
            image: StructImage::new(layout.clone()),
            number,
            window_fields: WindowFields::from_layout(layout),
            random: SplitMix64::new(seed),
            ack_request: None,
            has_pacing_limit: false,
            snapshot: SockSnapshot::default(),
            cubic: None,
        }
    }

    /// Removes and returns the acknowledgement number that the object passed to `bpf_tcp_send_ack`; `None`
    /// without a new request.
    pub fn take_ack_request(&mut self) -> Option<u32> {
        self.ack_request.take()
    }
}
