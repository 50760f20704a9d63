//! Fades read from a file.

use airhop_base::{Span, Time};
use std::fmt::Write;

/// Header line of a file of fades: the first line that is not a comment.
const CSV_HEADER: &str = "begin_s,end_s";
/// Comment line that sets the repetition period of the record.
const PERIOD_PREFIX: &str = "# period_s =";
/// Longest record, seconds. Up to this value an f64 has a resolution finer than a nanosecond.
const MAX_RECORD_S: f64 = 1e6;

/// Bad periods of a channel, recorded or synthetic. The record repeats after its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FadeRecord {
    bad: Vec<[Time; 2]>,
    period: Span,
}

/// Error in a file of fades: line number from 1, and the expected content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// Number of the line.
    pub line: usize,
    /// Expected and actual content.
    pub message: String,
}

impl FadeRecord {
    /// Creates a record of these bad periods, each [begin, end). The record repeats with `period`.
    ///
    /// # Panics
    ///
    /// In debug builds, if the bad periods are out of order, overlap, or end after the period.
    pub fn new(bad: Vec<[Time; 2]>, period: Span) -> Self {
        debug_assert!(bad.iter().all(|[begin, end]| begin < end));
        debug_assert!(bad.windows(2).all(|w| w[0][1] <= w[1][0]));
        debug_assert!(bad.last().is_none_or(|[_, end]| *end <= Time::ZERO + period));
        FadeRecord { bad, period }
    }

    /// Reads a file of fades: the header `begin_s,end_s` and a row for each bad period, in chronological
    /// order. Lines that begin with `#` are comments. The comment `# period_s = 200` sets the repetition
    /// period. The default period ends with the last bad period.
    ///
    /// # Errors
    ///
    /// [`LineError`] for the first malformed line.
    pub fn parse(text: &str) -> Result<FadeRecord, LineError> {
        let mut reader = FadeRecordReader::default();
        let mut last = 0;
        for (line, text) in (1..).zip(text.lines()) {
            reader.read_line(text.trim()).map_err(|what| LineError { line, message: what })?;
            last = line;
        }
        reader.finish().map_err(|what| LineError { line: last.max(1), message: what })
    }

    /// Returns the record as text for [`FadeRecord::parse`]. Writing and reading back is exact to the
    /// nanosecond.
    pub fn to_csv(&self) -> String {
        let mut out = match self.period {
            Span::ZERO => format!("{CSV_HEADER}\n"), // without bad periods and without a period
            period => format!("{PERIOD_PREFIX} {}\n{CSV_HEADER}\n", format_seconds(Time::ZERO + period)),
        };
        for [begin, end] in &self.bad {
            let _ = writeln!(out, "{},{}", format_seconds(*begin), format_seconds(*end));
        }
        out
    }

    /// Returns the repetition period of the record.
    pub fn period(&self) -> Span {
        self.period
    }

    /// Returns the bad period with this number, from 0, counted through all repetitions of the record. `None`
    /// if the record has no bad period.
    pub(super) fn nth_period(&self, number: u64) -> Option<[Time; 2]> {
        let many = self.bad.len() as u64;
        let index = number.checked_rem(many)?;
        Some(self.bad[index as usize].map(|t| t + self.period * (number / many)))
    }
}

/// Content that was read from a file of fades so far.
#[derive(Default)]
struct FadeRecordReader {
    has_header: bool,
    bad: Vec<[Time; 2]>,
    period: Option<Span>,
}

impl FadeRecordReader {
    fn read_line(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with('#') {
            return self.read_comment(line);
        }
        match line.is_empty() {
            true => Ok(()),
            false if self.has_header => self.read_row(line),
            false if line == CSV_HEADER => {
                self.has_header = true;
                Ok(())
            }
            false => Err(format!("expected the header {CSV_HEADER}, got {line:?}")),
        }
    }

    fn read_comment(&mut self, line: &str) -> Result<(), String> {
        if !line.trim_start_matches(['#', ' ']).starts_with("period") {
            return Ok(());
        }
        let period =
            line.strip_prefix(PERIOD_PREFIX).and_then(parse_seconds).filter(|period| *period > Time::ZERO);
        match period {
            Some(period) if self.period.is_none() => {
                self.period = Some(period - Time::ZERO);
                Ok(())
            }
            Some(_) => Err("expected one line with the period, got a second".to_string()),
            None => Err(format!(
                "expected `{PERIOD_PREFIX} 200` with seconds up to {MAX_RECORD_S:.0}, got {line:?}"
            )),
        }
    }

    fn read_row(&mut self, line: &str) -> Result<(), String> {
        let times =
            line.split_once(',').and_then(|(begin, end)| Some([parse_seconds(begin)?, parse_seconds(end)?]));
        let Some([begin, end]) = times else {
            return Err(format!(
                "expected start and end of a bad period, seconds from 0 to {MAX_RECORD_S:.0}, such as 10.5,14.25, got {line:?}"
            ));
        };
        if begin >= end {
            return Err(format!("expected an end after the start, got {line:?}"));
        }
        match self.bad.last() {
            Some([_, before]) if begin < *before => Err(format!(
                "expected a start at or after {}, the end of the previous bad period, got {line:?}",
                format_seconds(*before)
            )),
            _ => {
                self.bad.push([begin, end]);
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<FadeRecord, String> {
        if !self.has_header {
            return Err(format!("expected the header {CSV_HEADER}, got the end of the file"));
        }
        let end = self.bad.last().map_or(Time::ZERO, |[_, end]| *end);
        match self.period {
            Some(period) if Time::ZERO + period < end => Err(format!(
                "expected all bad periods within the first period_s = {}, got one up to {}",
                format_seconds(Time::ZERO + period),
                format_seconds(end)
            )),
            period => Ok(FadeRecord { bad: self.bad, period: period.unwrap_or(end - Time::ZERO) }),
        }
    }
}

/// Parses seconds. `None` if the text is not a number from 0 to [`MAX_RECORD_S`].
fn parse_seconds(text: &str) -> Option<Time> {
    let s: f64 = text.trim().parse().ok()?;
    (0.0..=MAX_RECORD_S).contains(&s).then(|| Time::ZERO + Span::from_secs_f64(s))
}

/// Formats a time in seconds with nine decimals.
fn format_seconds(t: Time) -> String {
    format!("{}.{:09}", t.nanos() / 1_000_000_000, t.nanos() % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn a_channel_record_is_read_as_written() {
        let text = "# measured in a lift\nbegin_s,end_s\n10,14.5\n\n 14.5 , 15\n20.000000001,21e0\n";
        let bad = vec![
            [at(10_000), at(14_500)],
            [at(14_500), at(15_000)],
            [at(20_000) + Span::from_nanos(1), at(21_000)],
        ];
        assert_eq!(FadeRecord::parse(text), Ok(FadeRecord::new(bad.clone(), Span::from_secs(21))));
        let text = format!("# period_s = 30\n{text}");
        assert_eq!(FadeRecord::parse(&text), Ok(FadeRecord::new(bad, Span::from_secs(30))));
        // A channel without bad periods.
        for (text, period) in [("begin_s,end_s\n", 0), ("# period_s = 30\nbegin_s,end_s", 30)] {
            let never = FadeRecord::parse(text).expect("a header is enough");
            assert_eq!(never, FadeRecord::new(Vec::new(), Span::from_secs(period)));
            assert_eq!(never.nth_period(0), None);
            // A file without a period line has no period, which is not the same as a period of 0 s.
            assert_eq!(FadeRecord::parse(&never.to_csv()), Ok(never));
        }
    }

    /// Bad periods repeat in every period of the record.
    #[test]
    fn a_channel_record_repeats_after_its_end() {
        let record = FadeRecord::parse("# period_s = 10\nbegin_s,end_s\n1,2\n4,10\n").expect("good");
        let expect = [[1, 2], [4, 10], [11, 12], [14, 20], [21, 22]].map(|t| t.map(|s| at(s * 1000)));
        assert_eq!([0, 1, 2, 3, 4].map(|i| record.nth_period(i).expect("it goes on")), expect);
    }

    #[test]
    fn record_file_errors_name_their_line() {
        let cases = [
            ("", 1, "expected the header begin_s,end_s, got the end of the file"),
            ("1,2\n", 1, "expected the header begin_s,end_s, got \"1,2\""),
            ("begin_s,end_s\n1;2\n", 2, "expected start and end of a bad period"),
            ("begin_s,end_s\n1,2,3\n", 2, "expected start and end of a bad period"),
            ("begin_s,end_s\n-1,2\n", 2, "seconds from 0 to 1000000"),
            ("begin_s,end_s\n1,nan\n", 2, "seconds from 0 to 1000000"),
            ("begin_s,end_s\n1,1000001\n", 2, "seconds from 0 to 1000000"),
            ("begin_s,end_s\n2,2\n", 2, "expected an end after the start"),
            ("begin_s,end_s\n1,3\n\n2,4\n", 4, "expected a start at or after 3.000000000"),
            ("# period_s = x\n", 1, "expected `# period_s = 200`"),
            ("# period_s = 0\n", 1, "expected `# period_s = 200`"),
            ("#period = 200\n", 1, "expected `# period_s = 200`"),
            ("# period_s = 2\n# period_s = 2\n", 2, "expected one line with the period"),
            ("# period_s = 2\nbegin_s,end_s\n1,3\n", 3, "in the first period_s = 2.000000000"),
        ];
        for (text, line, expect) in cases {
            let bad = FadeRecord::parse(text).expect_err(text);
            assert!(bad.line == line && bad.message.contains(expect), "{text:?}: {bad:?}");
        }
    }

    proptest! {
        /// A record that is written and read again is identical to the nanosecond.
        #[test]
        fn a_written_record_reads_back_to_the_nanosecond(
            lengths in prop::collection::vec((0_u64..50_000_000_000, 1_u64..50_000_000_000), 0..50),
            tail in 0_u64..1_000_000_000,
        ) {
            let mut end = Time::ZERO;
            let mut bad = Vec::new();
            for (good, long) in lengths {
                let begin = end + Span::from_nanos(good);
                end = begin + Span::from_nanos(long);
                bad.push([begin, end]);
            }
            let record = FadeRecord::new(bad, end + Span::from_nanos(tail + 1) - Time::ZERO);
            prop_assert_eq!(FadeRecord::parse(&record.to_csv()), Ok(record));
        }
    }
}
