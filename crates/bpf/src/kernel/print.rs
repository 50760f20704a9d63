//! `bpf_printk`: formats the output of programs.

use super::Helper;
use super::helpers::HelperContext;
use crate::fault::FaultCause;

/// Maximum length of a format string or text argument in bytes.
const MAX_TEXT_BYTES: u64 = 512;

impl HelperContext<'_> {
    /// `bpf_trace_printk(format, bytes, …)`, with at most three numbers. Returns the length of the line.
    pub(super) fn trace_printk(
        &mut self,
        helper: Helper,
        format: u64,
        bytes: u64,
        numbers: &[u64],
    ) -> Result<u64, FaultCause> {
        let format = self.read_text(helper, format, bytes)?;
        let line = self.format_printf(&format, numbers);
        self.printer.print_line(self.now_ns, &line);
        Ok(line.len() as u64)
    }

    /// `bpf_trace_vprintk(format, bytes, numbers, bytes)`, with any number of 64-bit arguments.
    pub(super) fn trace_vprintk(
        &mut self,
        helper: Helper,
        format: u64,
        bytes: u64,
        [data, length]: [u64; 2],
    ) -> Result<u64, FaultCause> {
        let length = u64::from(length as u32).min(MAX_TEXT_BYTES);
        let numbers: Vec<u64> = match length {
            0 => Vec::new(),
            _ => {
                let (words, _) = self.readable_bytes(data, length, helper)?.as_chunks();
                words.iter().map(|word| u64::from_le_bytes(*word)).collect()
            }
        };
        self.trace_printk(helper, format, bytes, &numbers)
    }

    fn read_text(&self, helper: Helper, at: u64, bytes: u64) -> Result<String, FaultCause> {
        let bytes = self.readable_bytes(at, u64::from(bytes as u32).min(MAX_TEXT_BYTES), helper)?;
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    /// Formats a printf(3) string with %d, %i, %u, %x, %X, %p, %c and %s. `h`, `l` or `ll` determine the
    /// width of an argument.
    fn format_printf(&self, format: &str, numbers: &[u64]) -> String {
        let (mut line, mut rest, mut numbers) = (String::new(), format, numbers.iter());
        while let Some((before, directive)) = rest.split_once('%') {
            line.push_str(before);
            let end = directive.find(|c: char| c.is_ascii_alphabetic() && !"hlz".contains(c) || c == '%');
            let Some(end) = end else {
                line.push('%');
                rest = directive;
                continue;
            };
            let (modifiers, conversion) = (&directive[..end], &directive[end..=end]);
            rest = &directive[end + 1..];
            if conversion == "%" {
                line.push('%');
                continue;
            }
            let number = numbers.next().copied().unwrap_or(0);
            let is_long = modifiers.contains(['l', 'z']);
            let unsigned = if is_long { number } else { u64::from(number as u32) };
            line.push_str(&match conversion {
                "d" | "i" if is_long => (number as i64).to_string(),
                "d" | "i" => (number as i32).to_string(),
                "u" => unsigned.to_string(),
                "x" => format!("{unsigned:x}"),
                "X" => format!("{unsigned:X}"),
                "p" => format!("{number:#x}"),
                "c" => char::from(number as u8).to_string(),
                "s" => self.text_at(number),
                other => format!("%{other}"),
            });
        }
        line + rest
    }

    /// Returns the text at an address.
    fn text_at(&self, at: u64) -> String {
        let bytes = (0..MAX_TEXT_BYTES).map_while(|i| self.memory.readable_bytes(at.wrapping_add(i), 1));
        let bytes: Vec<u8> = bytes.map(|byte| byte[0]).take_while(|&byte| byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
