//! What links do to packets, by closed forms and an independent reader.

mod link_fades;
mod outages;
mod pace;
mod physics;
mod placement;
mod radio;
mod varying;
