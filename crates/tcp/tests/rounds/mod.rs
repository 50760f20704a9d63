//! Packets per round of every scheme, each number explained by the paper.

mod adaptive;
mod bbr;
mod bbr3;
mod delay;
mod discriminators;
mod estimators;
mod loss_based;
mod notices;
