//! Ports: sources and destinations of datagrams.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest IP datagram: an IPv6 header and the largest payload that its length field has room for (RFC 8200 §3).
pub const MAX_DATAGRAM: usize = 40 + 65_535;

/// One end of the network: whole IP datagrams, never blocking.
pub trait Port {
    /// Reads the next datagram into `buffer` and returns its length; `None` if there is none now.
    ///
    /// # Errors
    /// The device is gone, or the kernel refuses.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Hands a datagram to the host.
    ///
    /// # Errors
    /// `WouldBlock` or ENOBUFS if the host has no room for it now; else the kernel's reason. The datagram is lost.
    fn write(&mut self, datagram: &[u8]) -> io::Result<()>;
}

impl<P: Port + ?Sized> Port for Box<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        (**self).read(buffer)
    }

    fn write(&mut self, datagram: &[u8]) -> io::Result<()> {
        (**self).write(datagram)
    }
}

/// A port whose other side is held by whoever cloned it: for tests, and for programs that are no other process.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    sides: Arc<Mutex<Sides>>,
}

#[derive(Debug, Default)]
struct Sides {
    incoming: VecDeque<Vec<u8>>,
    written: Vec<Vec<u8>>,
    full: bool,
}

impl Memory {
    /// Queues a datagram for the emulator's next `read`, after those sent before.
    pub fn send(&self, datagram: &[u8]) {
        self.with(|sides| sides.incoming.push_back(datagram.to_vec()));
    }

    /// Returns the datagrams that the emulator wrote since the last call.
    pub fn received(&self) -> Vec<Vec<u8>> {
        self.with(|sides| std::mem::take(&mut sides.written))
    }

    /// Returns the number of datagrams that the emulator has not read yet.
    pub fn waiting(&self) -> usize {
        self.with(|sides| sides.incoming.len())
    }

    /// Makes writes find no room from now on (or, with `false`, find some again).
    pub fn set_full(&self, full: bool) {
        self.with(|sides| sides.full = full);
    }

    fn with<T>(&self, f: impl FnOnce(&mut Sides) -> T) -> T {
        f(&mut self.sides.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Port for Memory {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.with(|sides| match sides.incoming.pop_front() {
            Some(datagram) => {
                let length = datagram.len().min(buffer.len());
                buffer[..length].copy_from_slice(&datagram[..length]);
                Ok(Some(length))
            }
            None => Ok(None),
        })
    }

    fn write(&mut self, datagram: &[u8]) -> io::Result<()> {
        self.with(|sides| {
            if sides.full {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            sides.written.push(datagram.to_vec());
            Ok(())
        })
    }
}
