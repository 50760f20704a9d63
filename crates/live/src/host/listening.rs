//! Listening sockets of a network namespace, read from /proc.

use std::collections::BTreeSet;
use std::fs;

/// State of a listening TCP socket in the kernel's socket tables.
const LISTEN_STATE: &str = "0A";
const UNCONNECTED_STATE: &str = "07";

/// True if a socket of this thread's network namespace listens at a port.
pub fn has_listening_socket(port: u16) -> bool {
    listening_sockets().iter().any(|socket| socket_port(socket) == Some(port))
}

/// Returns the port in a socket description of [`listening_sockets`], such as `tcp 0100007F:0CEA 4711`; `None` for
/// other texts.
fn socket_port(socket: &str) -> Option<u16> {
    let (_, port) = socket.split(' ').nth(1)?.rsplit_once(':')?;
    u16::from_str_radix(port, 16).ok()
}

/// Returns the listening sockets of this thread's network namespace. Each description contains the table, the
/// address and port in the kernel's format, and the inode.
pub fn listening_sockets() -> BTreeSet<String> {
    let tables = [
        ("tcp", LISTEN_STATE),
        ("tcp6", LISTEN_STATE),
        ("udp", UNCONNECTED_STATE),
        ("udp6", UNCONNECTED_STATE),
    ];
    let of_table = |(table, state): (&str, &str)| -> Vec<String> {
        // A kernel without IPv6 does not have this table.
        let text = fs::read_to_string(format!("/proc/thread-self/net/{table}")).unwrap_or_default();
        text.lines().skip(1).filter_map(|line| parse_socket(table, line, state)).collect()
    };
    tables.into_iter().flat_map(of_table).collect()
}

/// Parses a line of a socket table; `None` if the socket is not in `state`. The fields are number, local
/// address, remote address, state, …; the inode is the tenth.
fn parse_socket(table: &str, line: &str, state: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    (*words.get(3)? == state).then(|| format!("{table} {} {}", words[1], words.get(9).unwrap_or(&"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Format of the tables in proc_pid_net(5).
    #[test]
    fn only_listening_sockets_are_read_from_proc_net_tcp() {
        let line = "   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0";
        assert_eq!(parse_socket("tcp", line, LISTEN_STATE).as_deref(), Some("tcp 0100007F:0CEA 4711"));
        assert_eq!(socket_port("tcp 0100007F:0CEA 4711"), Some(3306));
        assert_eq!(parse_socket("tcp", line, UNCONNECTED_STATE), None);
        assert_eq!(parse_socket("tcp", "", LISTEN_STATE), None);
    }

    #[test]
    fn a_new_listening_socket_is_detected() {
        let before = listening_sockets();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let _socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        assert!(listening_sockets().difference(&before).count() >= 2);
        assert!(has_listening_socket(listener.local_addr().unwrap().port()));
    }
}
