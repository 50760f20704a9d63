//! Probes, and trace output as column tables and pcapng.
//!
//! A run writes into a [`Recorder`]. The recorder returns [`Table`]s at the end of the run, and writes
//! captured packets to files during the run.

mod acks;
mod air;
mod columns;
mod fades;
mod links;
mod monitor;
mod mpdus;
mod pcap;
mod pcapng;
mod recorder;
mod tables;
mod walk;

pub use acks::AckRow;
pub use air::{AirFrameKind, AirOutcome, AirRow};
pub use columns::{Column, Table};
pub use monitor::{CellChannel, MsduHeader};
pub use mpdus::MpduRow;
pub use pcapng::Direction;
pub use recorder::Recorder;
pub use tables::{DropRow, NoticeEvent, PacketKind, SendCause, SendContext, WindowSample};
pub use walk::{PathStep, StepLocation, StepPacket};
