//! Syntax tree of a packetdrill script: options, and events with their times and actions.

use crate::code::Statement;
pub use crate::cursor::ScriptPosition;
use airhop_base::Ecn;
use std::fmt;

/// A parsed script.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Script {
    /// Options at the start of the script, `--name=value`, without the dashes.
    pub options: Vec<(String, String)>,
    /// Events in order. Commands before the first timestamp are events at time zero.
    pub events: Vec<Event>,
}

impl Script {
    /// Returns the value of an option; if it occurs several times, the last value.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// An event of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Place where the event begins.
    pub position: ScriptPosition,
    /// Time of the event.
    pub time: EventTime,
    /// The action.
    pub action: Action,
}

/// Time of an event in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// `*`: any time.
    Any,
    /// `0.5`: time since the beginning.
    At(i64),
    /// `+0.5`: time since the previous event.
    After(i64),
    /// `0.5~0.6`: range of times since the beginning.
    Between(i64, i64),
    /// `+0.5~+0.6`: range of times since the previous event.
    BetweenAfter(i64, i64),
}

/// Action of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `<`: a TCP segment of the peer arrives.
    Inbound(Segment),
    /// `>`: TCP segment that the stack under test must send.
    Outbound(Segment),
    /// System call.
    Call(Call),
    /// Shell command in backticks.
    Command(String),
    /// `%{ … }%`: statements about `tcp_info`.
    Code(Vec<Statement>),
    /// Packet of another protocol, as text.
    Foreign(String),
}

/// Flags of a TCP header (RFC 9293 §3.1, RFC 3168 §6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)] // the names of the standards
pub struct Flags {
    pub fin: bool,
    pub syn: bool,
    pub rst: bool,
    pub psh: bool,
    pub ack: bool,
    pub urg: bool,
    pub ece: bool,
    pub cwr: bool,
    /// True for the AE flag, or for an AccECN counter in digits (RFC 9768). No stack here supports AccECN.
    pub accurate_ecn: bool,
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = [
            (self.fin, 'F'),
            (self.syn, 'S'),
            (self.rst, 'R'),
            (self.psh, 'P'),
            (self.urg, 'U'),
            (self.ece, 'E'),
            (self.cwr, 'W'),
            (self.accurate_ecn, 'A'),
            (self.ack, '.'),
        ];
        letters.iter().filter(|(set, _)| *set).try_for_each(|(_, letter)| write!(f, "{letter}"))
    }
}

/// ECN codepoints of the IP header (RFC 3168 §5), as scripts name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnField {
    /// `[noecn]`.
    NotEct,
    /// `[ect0]`.
    Ect0,
    /// `[ect1]`.
    Ect1,
    /// `[ect01]`: either ECT(0) or ECT(1).
    Ect,
    /// `[ce]`.
    Ce,
}

impl From<Ecn> for EcnField {
    fn from(codepoint: Ecn) -> Self {
        match codepoint {
            Ecn::NotEct => EcnField::NotEct,
            Ecn::Ect1 => EcnField::Ect1,
            Ecn::Ect0 => EcnField::Ect0,
            Ecn::Ce => EcnField::Ce,
        }
    }
}

/// TCP segment of a script. Sequence numbers are relative to each side's SYN, which is 0.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Segment {
    /// ECN field; `None` if the script does not specify it.
    pub ecn: Option<EcnField>,
    /// TCP flags.
    pub flags: Flags,
    /// First byte.
    pub seq: u32,
    /// Payload, bytes.
    pub payload_bytes: u32,
    /// Acknowledgement number; `None` if the script omits it.
    pub ack: Option<u32>,
    /// Window field, unscaled; `None` if the script omits it.
    pub window: Option<u32>,
    /// TCP options; `None` for `<...>`, which matches any options.
    pub options: Option<Vec<TcpOption>>,
}

impl Segment {
    /// Returns the ECN codepoint of an incoming segment. Not-ECT is the default; `[ect01]` means ECT(0).
    pub fn ecn_codepoint(&self) -> Ecn {
        match self.ecn {
            None | Some(EcnField::NotEct) => Ecn::NotEct,
            Some(EcnField::Ect1) => Ecn::Ect1,
            Some(EcnField::Ect0 | EcnField::Ect) => Ecn::Ect0,
            Some(EcnField::Ce) => Ecn::Ce,
        }
    }

    /// Returns the sequence number after the payload.
    pub fn end_seq(&self) -> u32 {
        self.seq.wrapping_add(self.payload_bytes)
    }

    /// Returns the options that the script specifies.
    pub fn specified_options(&self) -> impl Iterator<Item = &TcpOption> {
        self.options.iter().flatten()
    }

    /// Returns TSval and TSecr (RFC 7323 §3); `None` without the option.
    pub fn timestamps(&self) -> Option<(u32, u32)> {
        self.specified_options().find_map(|option| match option {
            TcpOption::Timestamps(value, echo) => Some((*value, *echo)),
            _ => None,
        })
    }

    /// Returns the SACK blocks (RFC 2018 §3), in their order.
    pub fn sack_blocks(&self) -> &[(u32, u32)] {
        let blocks = self.specified_options().find_map(|option| match option {
            TcpOption::Sack(blocks) => Some(blocks.as_slice()),
            _ => None,
        });
        blocks.unwrap_or_default()
    }

    /// Returns the maximum segment size in bytes (RFC 9293 §3.7.1); `None` without the option.
    pub fn mss(&self) -> Option<u16> {
        self.specified_options().find_map(|option| match option {
            TcpOption::Mss(bytes) => Some(*bytes),
            _ => None,
        })
    }

    /// Returns the window scale shift count (RFC 7323 §2.2); `None` without the option.
    pub fn window_scale(&self) -> Option<u8> {
        self.specified_options().find_map(|option| match option {
            TcpOption::Scale(shift) => Some(*shift),
            _ => None,
        })
    }

    /// True if the segment permits SACK (RFC 2018 §2).
    pub fn permits_sack(&self) -> bool {
        self.specified_options().any(|option| *option == TcpOption::SackPermitted)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ecn) = self.ecn {
            let name = match ecn {
                EcnField::NotEct => "noecn",
                EcnField::Ect0 => "ect0",
                EcnField::Ect1 => "ect1",
                EcnField::Ect => "ect01",
                EcnField::Ce => "ce",
            };
            write!(f, "[{name}] ")?;
        }
        write!(f, "{} {}:{}({})", self.flags, self.seq, self.end_seq(), self.payload_bytes)?;
        if let Some(ack) = self.ack {
            write!(f, " ack {ack}")?;
        }
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        match self.options.as_deref() {
            None => write!(f, " <...>"),
            Some([]) => Ok(()),
            Some(options) => {
                let options: Vec<String> = options.iter().map(TcpOption::to_string).collect();
                write!(f, " <{}>", options.join(","))
            }
        }
    }
}

/// A TCP option.
#[derive(Clone, Debug, PartialEq)]
pub enum TcpOption {
    /// `nop` (RFC 9293 §3.1).
    Nop,
    /// `eol` (RFC 9293 §3.1).
    End,
    /// `mss N`.
    Mss(u16),
    /// `wscale N`.
    Scale(u8),
    /// `sackOK`.
    SackPermitted,
    /// `sack A:B …`.
    Sack(Vec<(u32, u32)>),
    /// `TS val V ecr E`.
    Timestamps(u32, u32),
    /// Any other option, as text.
    Other(String),
}

impl fmt::Display for TcpOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TcpOption::Nop => write!(f, "nop"),
            TcpOption::End => write!(f, "eol"),
            TcpOption::Mss(bytes) => write!(f, "mss {bytes}"),
            TcpOption::Scale(shift) => write!(f, "wscale {shift}"),
            TcpOption::SackPermitted => write!(f, "sackOK"),
            TcpOption::Sack(blocks) => {
                write!(f, "sack")?;
                blocks.iter().try_for_each(|(start, end)| write!(f, " {start}:{end}"))
            }
            TcpOption::Timestamps(value, echo) => write!(f, "TS val {value} ecr {echo}"),
            TcpOption::Other(text) => write!(f, "{text}"),
        }
    }
}

/// A system call with its arguments and its result.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Call {
    /// Name of the call.
    pub name: String,
    /// Arguments of the call.
    pub arguments: Vec<Value>,
    /// Expected result; `None` for `...`, or if the script omits the result.
    pub result: Option<i64>,
    /// Name of the expected error; `None` if the call must succeed.
    pub error: Option<String>,
    /// Blocking time in nanoseconds, from `0.1...0.5 …`; `None` if the call does not block.
    pub blocking_ns: Option<i64>,
}

impl Call {
    /// True if the call reads from a socket and therefore waits for data.
    pub fn is_read(&self) -> bool {
        matches!(self.name.as_str(), "read" | "recv" | "recvfrom" | "recvmsg" | "readv")
    }

    /// Returns the argument at index `place` as a number; `None` if it is no number.
    pub fn argument_number(&self, place: usize) -> Option<i64> {
        match self.arguments.get(place)? {
            Value::Number(number) => Some(*number),
            Value::List(members) => match members.as_slice() {
                [Value::Number(number)] => Some(*number),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the words of an argument such as `A|B`.
    pub fn argument_words(&self, place: usize) -> impl Iterator<Item = &str> {
        let text = match self.arguments.get(place) {
            Some(Value::Word(text)) => text.as_str(),
            _ => "",
        };
        text.split('|')
    }

    /// Returns the argument at index `place` as a string, without list brackets; `None` if it is no string.
    pub fn argument_text(&self, place: usize) -> Option<&str> {
        match self.arguments.get(place)? {
            Value::Text(text) => Some(text),
            Value::List(members) => match members.as_slice() {
                [Value::Text(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

/// An argument of a system call.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `...`: any value, or a value that the runner chooses.
    Any,
    /// A number.
    Number(i64),
    /// Name, or several names joined by `|`.
    Word(String),
    /// A string.
    Text(String),
    /// `[ … ]`.
    List(Vec<Value>),
    /// `{ … }`: structure members, with names if the script contains them.
    Members(Vec<(String, Value)>),
    /// `name( … )`.
    Applied(String, Vec<Value>),
}
