//! Sleep of the loop, by epoll, until a device or a timer is ready.

use crate::drive::Sleeper;
use airhop_base::Span;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

const TIMER_TOKEN: u64 = u64::MAX;
const ALARM_TOKEN: u64 = u64::MAX - 1;

/// Alarm that wakes the loop from another thread.
#[derive(Clone, Debug)]
pub struct Alarm(Arc<EventFd>);

impl Alarm {
    /// Creates an alarm that has not rung.
    ///
    /// # Errors
    /// Returns the error of the kernel.
    pub fn new() -> io::Result<Self> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Ok(Alarm(Arc::new(EventFd::from_flags(flags)?)))
    }

    /// Wakes the loop if it sleeps.
    pub fn ring(&self) {
        // The write fails only after 2⁶⁴ - 2 rings.
        let _ = self.0.write(1);
    }
}

/// Sleeper based on epoll. The sleeper wakes when a device can be read, a high-resolution timer expires, or
/// the alarm rings.
#[derive(Debug)]
pub struct EpollSleep {
    epoll: Epoll,
    timer: TimerFd,
    /// Time by which each sleep is extended, to test the effect of lateness.
    oversleep: Span,
    /// Clone that keeps the alarm's eventfd open while epoll watches the eventfd.
    _alarm: Alarm,
}

impl EpollSleep {
    /// Watches these devices, and extends each sleep by `oversleep`. The marks in [`Sleeper::sleep`] have the
    /// order of `devices`.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn new<'a>(
        devices: impl IntoIterator<Item = &'a dyn AsFd>,
        alarm: Alarm,
        oversleep: Span,
    ) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        // A device is reported until all its datagrams are read. Timer and alarm are polled but never read;
        // with edge triggering each of their events is therefore reported once.
        let once = EpollFlags::EPOLLIN | EpollFlags::EPOLLET;
        let timer =
            TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK)?;
        epoll.add(&timer, EpollEvent::new(once, TIMER_TOKEN))?;
        epoll.add(&*alarm.0, EpollEvent::new(once, ALARM_TOKEN))?;
        for (i, device) in devices.into_iter().enumerate() {
            epoll.add(device.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, i as u64))?;
        }
        Ok(EpollSleep { epoll, timer, oversleep, _alarm: alarm })
    }
}

impl Sleeper for EpollSleep {
    fn sleep(&mut self, span: Span, ready: &mut [bool]) -> io::Result<()> {
        let mut timeout = EpollTimeout::ZERO;
        if span > Span::ZERO {
            let span = TimeSpec::from_duration(Duration::from_nanos(span.nanos()));
            self.timer.set(Expiration::OneShot(span), TimerSetTimeFlags::empty())?;
            timeout = EpollTimeout::NONE;
        }
        let mut events = [EpollEvent::empty(); 16];
        let count = match self.epoll.wait(&mut events, timeout) {
            Ok(count) => count,
            // A signal has arrived, whose handler may have set the stop flag.
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(error.into()),
        };
        if span > Span::ZERO && self.oversleep > Span::ZERO {
            std::thread::sleep(Duration::from_nanos(self.oversleep.nanos()));
        }
        for event in &events[..count] {
            if let Some(mark) = usize::try_from(event.data()).ok().and_then(|i| ready.get_mut(i)) {
                *mark = true;
            }
        }
        Ok(())
    }
}
