//! Samples of a real host's TCP connections from its kernel (TCP_INFO of tcp(7)).

use airhop_base::{NodeId, Time};
use std::net::{IpAddr, SocketAddr};

/// Upper limit of a window in segments: 2³⁰ bytes (RFC 7323 §2.3) in segments of 48 bytes, Linux's least MSS.
pub(crate) const MAX_WINDOW_SEGMENTS: u32 = (1 << 30) / 48;

/// State of the sender of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketInfo {
    /// Address and port of the sender.
    pub local: SocketAddr,
    /// Address and port of the peer.
    pub peer: SocketAddr,
    /// Name of the congestion control.
    pub congestion_control: String,
    /// State of the congestion control: `TCP_CA_Open` 0, `TCP_CA_Disorder` 1, `TCP_CA_CWR` 2,
    /// `TCP_CA_Recovery` 3, `TCP_CA_Loss` 4.
    pub ca_state: u8,
    /// Congestion window in segments.
    pub cwnd: u32,
    /// Slow-start threshold in segments; `None` before the first loss.
    pub ssthresh: Option<u32>,
    /// Smoothed round-trip time in microseconds.
    pub srtt_us: u32,
    /// Number of retransmitted segments since the start of the connection.
    pub retransmits: u32,
}

impl SocketInfo {
    /// Returns the flow name of the sender's data in a run document.
    pub fn flow_name(&self) -> String {
        format!("tcp {} > {}", self.local, self.peer)
    }

    /// Returns the name and value of a cwnd or ssthresh above [`MAX_WINDOW_SEGMENTS`]; `None` if both are below.
    pub(crate) fn excessive_window(&self) -> Option<(&'static str, u32)> {
        let windows = [("ssthresh", self.ssthresh.unwrap_or(0)), ("cwnd", self.cwnd)];
        windows.into_iter().find(|&(_, segments)| segments > MAX_WINDOW_SEGMENTS)
    }
}

/// Sample of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionSample {
    /// Time of the sample.
    pub at: Time,
    /// Node of the connection's host.
    pub node: NodeId,
    /// State of the sender.
    pub info: SocketInfo,
}

/// Slow-start threshold in a log before the sender's first loss.
const INFINITE_SSTHRESH: u32 = u32::MAX;

impl ConnectionSample {
    /// Returns the bytes of a log record. All numbers are little-endian:
    ///
    /// - Time in ns (u64), and node (u16).
    /// - Sender and peer, each with address (16 bytes, IPv4 mapped into IPv6) and port (u16).
    /// - State of the congestion control (u8).
    /// - cwnd, ssthresh (2³² - 1 before the first loss), srtt in µs, and number of retransmissions (u32
    ///   each).
    /// - Name of the congestion control.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let SocketInfo {
            local,
            peer,
            congestion_control: control,
            ca_state,
            cwnd,
            ssthresh,
            srtt_us,
            retransmits,
        } = &self.info;
        let mut bytes = Vec::with_capacity(80);
        bytes.extend_from_slice(&self.at.nanos().to_le_bytes());
        bytes.extend_from_slice(&self.node.0.to_le_bytes());
        for end in [local, peer] {
            let address = match end.ip() {
                IpAddr::V4(address) => address.to_ipv6_mapped(),
                IpAddr::V6(address) => address,
            };
            bytes.extend_from_slice(&address.octets());
            bytes.extend_from_slice(&end.port().to_le_bytes());
        }
        bytes.push(*ca_state);
        for number in [*cwnd, ssthresh.unwrap_or(INFINITE_SSTHRESH), *srtt_us, *retransmits] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(control.as_bytes());
        bytes
    }

    /// Returns the sample in a record as written by [`ConnectionSample::to_bytes`]; `None` if the record is invalid.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (at, rest) = bytes.split_first_chunk()?;
        let (node, rest) = rest.split_first_chunk()?;
        let (local, rest) = parse_address(rest)?;
        let (peer, rest) = parse_address(rest)?;
        let (&[ca_state], rest) = rest.split_first_chunk()?;
        let (numbers, name) = rest.split_first_chunk::<16>()?;
        let number = |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| numbers[4 * i + byte]));
        let info = SocketInfo {
            local,
            peer,
            congestion_control: String::from_utf8(name.to_vec()).ok()?,
            ca_state,
            cwnd: number(0),
            ssthresh: Some(number(1)).filter(|&segments| segments != INFINITE_SSTHRESH),
            srtt_us: number(2),
            retransmits: number(3),
        };
        let (at, node) = (Time::from_nanos(u64::from_le_bytes(*at)), NodeId(u16::from_le_bytes(*node)));
        Some(ConnectionSample { at, node, info })
    }
}

fn parse_address(bytes: &[u8]) -> Option<(SocketAddr, &[u8])> {
    let (address, rest) = bytes.split_first_chunk::<16>()?;
    let (port, rest) = rest.split_first_chunk()?;
    Some((SocketAddr::new(IpAddr::from(*address).to_canonical(), u16::from_le_bytes(*port)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(local: &str, peer: &str, ssthresh: Option<u32>) -> ConnectionSample {
        let (local, peer) = (local.parse().unwrap(), peer.parse().unwrap());
        let info = SocketInfo {
            local,
            peer,
            congestion_control: "cubic".into(),
            ca_state: 3,
            cwnd: 12,
            ssthresh,
            srtt_us: 44_545,
            retransmits: 5,
        };
        ConnectionSample { at: Time::from_nanos(1_500_000_001), node: NodeId(3), info }
    }

    /// A sample that is written and read again is unchanged, for both address families. A truncated record is
    /// no sample.
    #[test]
    fn an_encoded_tcp_info_sample_decodes_to_the_same_sample() {
        let four = sampled("10.0.0.1:40312", "10.0.0.4:5201", Some(11));
        let six = sampled("[fd00:a1b0::1]:8000", "[fd00:a1b0::4]:40000", None);
        for sample in [four, six] {
            let bytes = sample.to_bytes();
            assert_eq!(ConnectionSample::from_bytes(&bytes), Some(sample));
            let least = bytes.len() - "cubic".len();
            assert!((0..least).all(|cut| ConnectionSample::from_bytes(&bytes[..cut]).is_none()));
        }
        assert_eq!(
            sampled("[fd00::1]:80", "[fd00::2]:90", None).info.flow_name(),
            "tcp [fd00::1]:80 > [fd00::2]:90"
        );
    }
    /// The largest window is 2³⁰ bytes (RFC 7323 §2.3), and an infinite ssthresh is `None`.
    #[test]
    fn windows_beyond_the_largest_window_scale_are_excessive() {
        let of = |cwnd, ssthresh| {
            SocketInfo { cwnd, ..sampled("10.0.0.1:1", "10.0.0.2:2", ssthresh).info }.excessive_window()
        };
        assert_eq!(of(MAX_WINDOW_SEGMENTS, None), None);
        assert_eq!(of(12, Some(MAX_WINDOW_SEGMENTS)), None);
        assert_eq!(of(963_319_749, Some(7)), Some(("cwnd", 963_319_749)));
        assert_eq!(of(20, Some(u32::MAX - 1)), Some(("ssthresh", u32::MAX - 1)));
    }
}
