//! What the versions of BBR have in common.

mod draw;
mod excess;
mod stay;

pub use draw::Draw;
pub use excess::Excess;
pub use stay::Stay;
