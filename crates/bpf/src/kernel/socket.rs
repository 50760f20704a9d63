//! The socket of a flow: `struct tcp_sock` with all that is embedded at its beginning.

use super::kfuncs::Window;
use super::layout::{Image, Layout, WRITABLE};
use crate::btf::Btf;
use crate::error::Problem;
use airhop_base::SplitMix64;
use airhop_tcp::kernel_ops::{CubicTcp, Moment};
use std::sync::Arc;

/// The structures that are one socket, from the outermost: each begins with the next.
pub(crate) const NESTED: [&str; 5] = ["tcp_sock", "inet_connection_sock", "inet_sock", "sock", "sock_common"];
/// The members by which one leads to the next.
const EMBEDDED: [&str; 4] = ["inet_conn", "icsk_inet", "sk", "__sk_common"];
/// Returns the layout of a socket: `tcp_sock`, or as much of it as the object declares. `fields` are the members that the simulation fills in, each
/// by its name in whichever of the nested structures has it.
pub(crate) fn socket_layout(btf: &Arc<Btf>, fields: &[&'static str]) -> Result<Layout, Problem> {
    let outermost = NESTED.iter().position(|name| btf.composite(name).is_some()).unwrap_or(0);
    check_nesting(btf, outermost)?;
    let mut layout = Layout::new(btf, NESTED[outermost])?;
    for field in Window::FIELDS.iter().chain(fields) {
        let path = nested_path(&layout, outermost, field);
        match WRITABLE.contains(field) {
            true => layout.provide_writable(field, &path)?,
            false => layout.provide(field, &path)?,
        };
    }
    let path = nested_path(&layout, outermost, "icsk_ca_priv");
    layout.provide_private(&path)?;
    Ok(layout)
}

/// Returns a member by its way through the nested structures; its own name if none has it.
fn nested_path(layout: &Layout, outermost: usize, field: &str) -> String {
    let ways = (outermost..NESTED.len()).map(|inner| {
        let mut path: Vec<&str> = EMBEDDED[outermost..inner].to_vec();
        path.push(field);
        path.join(".")
    });
    ways.into_iter().find(|path| layout.declares(path)).unwrap_or_else(|| field.to_owned())
}

/// A pointer to a socket is cast from one of these to another: in the object's types they have to begin at the same byte, one within the
/// other, or their members would lie on top of each other.
fn check_nesting(btf: &Btf, outermost: usize) -> Result<(), Problem> {
    let Some(root) = btf.composite(NESTED[outermost]) else { return Ok(()) };
    for inner in outermost + 1..NESTED.len() {
        if btf.composite(NESTED[inner]).is_none() {
            continue;
        }
        let path = EMBEDDED[outermost..inner].join(".");
        if !matches!(btf.locate(root, &path)?, Some(at) if at.bit_offset == 0) {
            let (outer, inner) = (NESTED[outermost], NESTED[inner]);
            let why = format!(
                "struct {outer} does not begin with struct {inner} (expected as {path}), so that a cast from one to the other meets other members"
            );
            return Err(Problem::Types { section: ".BTF", why });
        }
    }
    Ok(())
}

/// Socket of a flow, in the view of its congestion control.
#[derive(Debug)]
pub struct Socket {
    /// The structure.
    pub image: Image,
    /// Number of the socket in the run, the key of `BPF_MAP_TYPE_SK_STORAGE`.
    pub(crate) number: u32,
    pub(crate) window: Window,
    pub(crate) random: SplitMix64,
    pub(crate) ack_request: Option<u32>,
    /// Arguments and state of the kernel's own CUBIC, for an object that calls it.
    pub(crate) moment: Moment,
    pub(crate) cubic: Option<Box<CubicTcp>>,
}

impl Socket {
    /// Creates a socket of zeros with the layout that [`Object::socket_layout`](crate::Object::socket_layout) made.
    /// `number` distinguishes it from other sockets of the same [`Machine`](crate::Machine), `seed` is that of its
    /// `bpf_get_prandom_u32`.
    ///
    /// # Panics
    /// With the layout of another structure.
    pub fn new(layout: &Arc<Layout>, number: u32, seed: u64) -> Socket {
        Socket {
            image: Image::new(layout.clone()),
            number,
            window: Window::of(layout),
            random: SplitMix64::new(seed),
            ack_request: None,
            moment: Moment::default(),
            cubic: None,
        }
    }

    /// Returns the ACK that the last call asked for (`bpf_tcp_send_ack`): the next byte that it should name.
    pub fn take_ack_request(&mut self) -> Option<u32> {
        self.ack_request.take()
    }
}
