//! Conversion between a script's segments and IPv4 and TCP bytes.

use crate::script::{EcnField, Flags, Segment, TcpOption};
use airhop_base::Ecn;
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement};

/// Addresses and ports of a connection: the stack under test and its peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConnectionAddresses {
    pub(super) local: ([u8; 4], u16),
    pub(super) peer: ([u8; 4], u16),
    /// Initial sequence number of the stack, known after its SYN.
    pub(super) initial_seq: u32,
}

impl ConnectionAddresses {
    /// Encodes a segment of the peer as a datagram.
    ///
    /// # Errors
    ///
    /// Returns an error if the options do not fit.
    pub(super) fn encode(&self, segment: &Segment) -> Result<Vec<u8>, String> {
        let mut tcp = TcpHeader::new(self.peer.1, self.local.1, segment.seq, window(segment)?);
        let Flags { fin, syn, rst, psh, ack, urg, ece, cwr, accurate_ecn: accurate } = segment.flags;
        (tcp.fin, tcp.syn, tcp.rst, tcp.psh, tcp.ack, tcp.urg) = (fin, syn, rst, psh, ack, urg);
        (tcp.ece, tcp.cwr, tcp.ns) = (ece, cwr, accurate);
        tcp.acknowledgment_number = segment.ack.map_or(0, |ack| ack.wrapping_add(self.initial_seq));
        let options = self.options(segment)?;
        tcp.set_options_raw(&options).map_err(|_| "more options than fit a TCP header".to_owned())?;
        // Only the length of the payload is defined by the script.
        let payload = vec![0; segment.payload_bytes as usize];
        let bytes = u16::try_from(tcp.header_len() + payload.len())
            .map_err(|_| "a longer segment than IPv4 has room for")?;
        let mut ip = Ipv4Header::new(bytes, 64, IpNumber::TCP, self.peer.0, self.local.0)
            .map_err(|_| "a longer segment than IPv4 has room for")?;
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, &payload).map_err(|error| error.to_string())?;
        ip.dont_fragment = true;
        ip.ecn = IpEcn::try_new(segment.ecn_codepoint() as u8).map_err(|error| error.to_string())?;
        let mut datagram = Vec::with_capacity(20 + usize::from(bytes));
        ip.write(&mut datagram).map_err(|error| error.to_string())?;
        tcp.write(&mut datagram).map_err(|error| error.to_string())?;
        datagram.extend(payload);
        Ok(datagram)
    }

    fn options(&self, segment: &Segment) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        for option in segment.specified_options() {
            match option {
                TcpOption::Nop => bytes.push(1),
                TcpOption::End => bytes.push(0),
                TcpOption::Mss(mss) => bytes.extend([&[2, 4][..], &mss.to_be_bytes()].concat()),
                TcpOption::Scale(shift) => bytes.extend([3, 3, *shift]),
                TcpOption::SackPermitted => bytes.extend([4, 2]),
                TcpOption::Sack(blocks) => {
                    let length = u8::try_from(2 + 8 * blocks.len()).map_err(|_| "too many SACK blocks")?;
                    bytes.extend([5, length]);
                    let edges = blocks.iter().flat_map(|&(start, end)| [start, end]);
                    edges.for_each(|edge| bytes.extend(edge.wrapping_add(self.initial_seq).to_be_bytes()));
                }
                TcpOption::Timestamps(value, echo) => {
                    bytes.extend([8, 10]);
                    bytes.extend(value.to_be_bytes());
                    bytes.extend(echo.to_be_bytes());
                }
                TcpOption::Other(text) => return Err(format!("the TCP option `{text}`")),
            }
        }
        while bytes.len() % 4 != 0 {
            bytes.push(0);
        }
        Ok(bytes)
    }

    /// Decodes a datagram that the stack sent; `None` if it belongs to another connection. A SYN sets the
    /// origin.
    pub(super) fn decode(&mut self, datagram: &[u8]) -> Option<Segment> {
        let (ip, rest) = Ipv4Header::from_slice(datagram).ok()?;
        let (tcp, payload) = (ip.protocol == IpNumber::TCP).then(|| TcpHeader::from_slice(rest).ok())??;
        if ip.destination != self.peer.0 || tcp.destination_port != self.peer.1 {
            return None;
        }
        self.local = (ip.source, tcp.source_port);
        if tcp.syn {
            self.initial_seq = tcp.sequence_number;
        }
        let flags = Flags {
            fin: tcp.fin,
            syn: tcp.syn,
            rst: tcp.rst,
            psh: tcp.psh,
            ack: tcp.ack,
            urg: tcp.urg,
            ece: tcp.ece,
            cwr: tcp.cwr,
            accurate_ecn: tcp.ns,
        };
        let options = tcp
            .options_iterator()
            .map(|option| option.map_or_else(|e| TcpOption::Other(e.to_string()), option_of));
        Some(Segment {
            ecn: Some(EcnField::from(Ecn::from_traffic_class(ip.ecn.value()))),
            flags,
            seq: tcp.sequence_number.wrapping_sub(self.initial_seq),
            payload_bytes: u32::try_from(payload.len()).ok()?,
            ack: tcp.ack.then_some(tcp.acknowledgment_number),
            window: Some(tcp.window_size.into()),
            options: Some(options.collect()),
        })
    }
}

fn option_of(option: TcpOptionElement) -> TcpOption {
    match option {
        TcpOptionElement::Noop => TcpOption::Nop,
        TcpOptionElement::MaximumSegmentSize(bytes) => TcpOption::Mss(bytes),
        TcpOptionElement::WindowScale(shift) => TcpOption::Scale(shift),
        TcpOptionElement::SelectiveAcknowledgementPermitted => TcpOption::SackPermitted,
        TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
            TcpOption::Sack([first].into_iter().chain(rest.into_iter().flatten()).collect())
        }
        TcpOptionElement::Timestamp(value, echo) => TcpOption::Timestamps(value, echo),
    }
}

fn window(segment: &Segment) -> Result<u16, String> {
    u16::try_from(segment.window.unwrap_or(0)).map_err(|_| "a window of more than 65535".to_owned())
}
