//! Frame check sequence: a CRC of 32 bits (IEEE 802.11-2020 §9.2.4.8).

/// Reversed generator polynomial.
const POLYNOMIAL: u32 = 0xEDB8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// Appends the FCS of the frame that begins at `start`. A damaged frame gets the complement of the correct
/// FCS.
pub fn append_fcs(out: &mut Vec<u8>, start: usize, is_damaged: bool) {
    let fcs = crc(&out[start..]);
    out.extend_from_slice(&(if is_damaged { !fcs } else { fcs }).to_le_bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check value of CRC-32: that of the digits 1 to 9.
    #[test]
    fn the_fcs_is_the_crc_32_of_ethernet() {
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        let mut frame = b"..123456789".to_vec();
        append_fcs(&mut frame, 2, false);
        assert_eq!(frame[11..], [0x26, 0x39, 0xF4, 0xCB]);
        append_fcs(&mut frame, 2, true);
        // A receiver's CRC over a frame with its FCS is a constant.
        assert_eq!(crc(&frame[2..15]), 0x2144_DF1C);
        assert_ne!(crc(&frame[2..]), 0x2144_DF1C);
    }
}
