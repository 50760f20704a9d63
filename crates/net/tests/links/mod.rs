//! Behaviour of links, compared with closed forms and an independent reader.

mod link_fades;
mod outages;
mod pace;
mod physics;
mod placement;
mod radio;
mod varying;
