//! Packets per round of every scheme, with an explanation of each number from the paper.

mod adaptive;
mod bbr;
mod bbr3;
mod delay;
mod discriminators;
mod estimators;
mod loss_based;
mod notices;
