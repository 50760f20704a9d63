//! Behaviour of congestion controls on links, compared with the equilibria and tables of their
//! papers.

mod adaptive;
mod bbr3;
mod delay;
mod fade_notices;
mod notices;
mod tcp_cl;
