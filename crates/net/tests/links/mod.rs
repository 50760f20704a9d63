//! Behaviour of links, compared with closed forms and with checks that read the trace
//! independently.

mod link_fades;
mod outages;
mod pace;
mod physics;
mod placement;
mod radio;
mod varying;
