//! Printer of program output to standard error. Each line contains the object's name and the time.

/// Maximum number of lines per run; further lines are dropped.
const MAX_LINES: u32 = 1000;

/// Printer of the programs of a run.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    /// Name of the object that prints.
    pub object: &'a str,
    /// Number of lines printed so far.
    pub printed_lines: &'a mut u32,
}

impl Printer<'_> {
    /// Prints a line.
    pub(crate) fn print_line(&mut self, now_ns: u64, text: &str) {
        *self.printed_lines = self.printed_lines.saturating_add(1);
        let seconds = now_ns as f64 / 1e9;
        match *self.printed_lines {
            ..=MAX_LINES => {
                eprintln!("{}: {seconds:.6} s: {}", self.object, text.trim_end().escape_default())
            }
            line if line == MAX_LINES + 1 => {
                eprintln!("{}: its output after {MAX_LINES} lines is omitted", self.object);
            }
            _ => {}
        }
    }
}
