//! What schemes do on links, by their papers' equilibria and tables.

mod adaptive;
mod bbr3;
mod delay;
mod fade_notices;
mod notices;
mod tcp_cl;
