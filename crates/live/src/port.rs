//! Ports: sources and destinations of datagrams.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum length of an IP datagram in bytes: an IPv6 header plus the largest payload length (RFC 8200 §3).
pub const MAX_DATAGRAM_BYTES: usize = 40 + 65_535;

/// Port at which whole IP datagrams enter and leave the network. A port never blocks.
pub trait Port {
    /// Reads the next datagram into `buffer` and returns its length; `None` if no datagram is available.
    ///
    /// # Errors
    ///
    /// Returns an error if the device is gone, or if the kernel reports another error.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Delivers a datagram to the host.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` or ENOBUFS if the host has no room for the datagram, or another error of the
    /// kernel. The datagram is then lost.
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

/// Port in memory, for tests and for programs in the same process. A clone is the side of the host.
#[derive(Clone, Debug, Default)]
pub struct MemoryPort {
    sides: Arc<Mutex<MemoryQueues>>,
}

#[derive(Debug, Default)]
struct MemoryQueues {
    incoming: VecDeque<Vec<u8>>,
    written: Vec<Vec<u8>>,
    full: bool,
}

impl MemoryPort {
    /// Sends a datagram from the host. The emulator reads datagrams in the order of sending.
    pub fn send(&self, datagram: &[u8]) {
        self.with(|sides| sides.incoming.push_back(datagram.to_vec()));
    }

    /// Returns the datagrams that the emulator has written since the previous call.
    pub fn take_received(&self) -> Vec<Vec<u8>> {
        self.with(|sides| std::mem::take(&mut sides.written))
    }

    /// Returns the number of datagrams that the emulator has not read yet.
    pub fn unread_datagrams(&self) -> usize {
        self.with(|sides| sides.incoming.len())
    }

    /// Makes all following writes fail for lack of room if `full`. Otherwise lets writes succeed again.
    pub fn set_full(&self, full: bool) {
        self.with(|sides| sides.full = full);
    }

    fn with<T>(&self, f: impl FnOnce(&mut MemoryQueues) -> T) -> T {
        f(&mut self.sides.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Port for MemoryPort {
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
