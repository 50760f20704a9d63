//! Offsets of the members of `struct tcp_info` in `linux/tcp.h`. The order is fixed; newer kernels only
//! append members.

/// Members: name without the prefix `tcpi_`, offset, and length in bytes.
const MEMBERS: [(&str, usize, usize); 56] = [
    ("state", 0, 1),
    ("ca_state", 1, 1),
    ("retransmits", 2, 1),
    ("probes", 3, 1),
    ("backoff", 4, 1),
    ("options", 5, 1),
    ("rto", 8, 4),
    ("ato", 12, 4),
    ("snd_mss", 16, 4),
    ("rcv_mss", 20, 4),
    ("unacked", 24, 4),
    ("sacked", 28, 4),
    ("lost", 32, 4),
    ("retrans", 36, 4),
    ("fackets", 40, 4),
    ("last_data_sent", 44, 4),
    ("last_ack_sent", 48, 4),
    ("last_data_recv", 52, 4),
    ("last_ack_recv", 56, 4),
    ("pmtu", 60, 4),
    ("rcv_ssthresh", 64, 4),
    ("rtt", 68, 4),
    ("rttvar", 72, 4),
    ("snd_ssthresh", 76, 4),
    ("snd_cwnd", 80, 4),
    ("advmss", 84, 4),
    ("reordering", 88, 4),
    ("rcv_rtt", 92, 4),
    ("rcv_space", 96, 4),
    ("total_retrans", 100, 4),
    ("pacing_rate", 104, 8),
    ("max_pacing_rate", 112, 8),
    ("bytes_acked", 120, 8),
    ("bytes_received", 128, 8),
    ("segs_out", 136, 4),
    ("segs_in", 140, 4),
    ("notsent_bytes", 144, 4),
    ("min_rtt", 148, 4),
    ("data_segs_in", 152, 4),
    ("data_segs_out", 156, 4),
    ("delivery_rate", 160, 8),
    ("busy_time", 168, 8),
    ("rwnd_limited", 176, 8),
    ("sndbuf_limited", 184, 8),
    ("delivered", 192, 4),
    ("delivered_ce", 196, 4),
    ("bytes_sent", 200, 8),
    ("bytes_retrans", 208, 8),
    ("dsack_dups", 216, 4),
    ("reord_seen", 220, 4),
    ("rcv_ooopack", 224, 4),
    ("snd_wnd", 228, 4),
    ("rcv_wnd", 232, 4),
    ("rehash", 236, 4),
    ("total_rto", 240, 2),
    ("total_rto_recoveries", 242, 2),
];

/// Returns the value of a member in the bytes from the kernel. `None` if the name is unknown, or if the
/// kernel is older than the member.
pub fn member_value(bytes: &[u8], name: &str) -> Option<u64> {
    let &(_, start, length) = MEMBERS.iter().find(|(member, ..)| *member == name)?;
    Some(match bytes.get(start..start + length)? {
        &[one] => one.into(),
        &[a, b] => u16::from_ne_bytes([a, b]).into(),
        &[a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        long => u64::from_ne_bytes(long.try_into().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::member_value;

    #[test]
    fn tcp_info_members_have_the_offsets_of_the_kernel_header() {
        let mut bytes = [0; 84];
        bytes[80..84].copy_from_slice(&10_u32.to_ne_bytes());
        assert_eq!(member_value(&bytes, "snd_cwnd"), Some(10));
        assert_eq!(member_value(&bytes, "advmss"), None); // an older kernel
        assert_eq!(member_value(&bytes, "nothing"), None);
    }
}
