//! File of a log: a regular file that a single process writes.

use nix::fcntl::{Flock, FlockArg};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// File locked against other emulations while open.
struct LockedFile(Flock<File>);

/// Creates the file at `path`, or truncates an existing file.
///
/// # Errors
///
/// Returns an error if the path is not a regular file, if another emulation writes the file, or if the
/// operating system rejects the request.
pub(super) fn create(path: &Path) -> io::Result<impl Write + Send + use<>> {
    let mut options = OpenOptions::new();
    // Without this flag, opening would block if a FIFO had just replaced the file.
    options.write(true).create(true).truncate(false).custom_flags(libc::O_NONBLOCK);
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("expected a regular file for the log"));
    }
    let file =
        Flock::lock(options.open(path)?, FlockArg::LockExclusiveNonblock).map_err(
            |(_, error)| match error {
                nix::Error::EWOULDBLOCK => io::Error::other("another emulation is writing its log there"),
                other => other.into(),
            },
        )?;
    file.set_len(0)?;
    Ok(LockedFile(file))
}

impl Write for LockedFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        (&*self.0).write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
