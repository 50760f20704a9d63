//! Output of programs goes to the standard error stream, a line each, with the object and the time.

/// Most lines of a run; further lines are dropped.
const MOST_LINES: u32 = 1000;

/// Output of the programs of a run.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    /// Object that prints.
    pub object: &'a str,
    /// Lines so far.
    pub lines: &'a mut u32,
}

impl Printer<'_> {
    /// Writes a line.
    pub(crate) fn line(&mut self, now_ns: u64, text: &str) {
        *self.lines = self.lines.saturating_add(1);
        let seconds = now_ns as f64 / 1e9;
        match *self.lines {
            ..=MOST_LINES => {
                eprintln!("{}: {seconds:.6} s: {}", self.object, text.trim_end().escape_default())
            }
            line if line == MOST_LINES + 1 => {
                eprintln!("{}: what it prints after {MOST_LINES} lines is left out", self.object);
            }
            _ => {}
        }
    }
}
