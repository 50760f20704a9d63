//! Strict reader of little-endian pcapng (draft-ietf-opsawg-pcapng), independent of the crate that writes it.

use std::collections::BTreeMap;

/// Capture file.
pub struct Capture {
    /// Comment of the file's section.
    pub comment: String,
    pub interfaces: Vec<Interface>,
    pub records: Vec<Record>,
}

/// Interface description block (§4.2).
#[derive(Debug, PartialEq)]
pub struct Interface {
    pub name: String,
    pub link_type: u16,
    pub snap_len: u32,
    /// Resolution n: timestamps are in units of 10⁻ⁿ s.
    pub resolution: u8,
}

/// Enhanced packet block (§4.3).
#[derive(Debug, PartialEq)]
pub struct Record {
    pub interface: u32,
    pub ticks: u64,
    pub original_len: u32,
    pub flags: u32,
    pub comment: Option<String>,
    pub data: Vec<u8>,
}

const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;

const COMMENT: u16 = 1;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;

/// Reads a file of one section. Panics if the file is malformed.
pub fn read(mut file: &[u8]) -> Capture {
    let mut section = block(&mut file, SECTION);
    assert_eq!(word(&mut section), BYTE_ORDER_MAGIC);
    assert_eq!((half(&mut section), half(&mut section)), (1, 0), "version");
    assert_eq!(
        (word(&mut section), word(&mut section)),
        (u32::MAX, u32::MAX),
        "the section length is not specified"
    );
    let comment = text(options(section)[&COMMENT]);
    let mut capture = Capture { comment, interfaces: Vec::new(), records: Vec::new() };
    while let Some(&kind) = file.first() {
        match u32::from(kind) {
            INTERFACE => capture.interfaces.push(interface(block(&mut file, INTERFACE))),
            _ => capture.records.push(record(block(&mut file, ENHANCED_PACKET))),
        }
        // §4.3: the number refers to an interface that was described before.
        assert!(capture.records.last().is_none_or(|r| (r.interface as usize) < capture.interfaces.len()));
    }
    capture
}

fn interface(mut body: &[u8]) -> Interface {
    let (link_type, reserved, snap_len) = (half(&mut body), half(&mut body), word(&mut body));
    assert_eq!(reserved, 0);
    let options = options(body);
    assert_eq!(options[&IF_TSRESOL].len(), 1);
    Interface { name: text(options[&IF_NAME]), link_type, snap_len, resolution: options[&IF_TSRESOL][0] }
}

fn record(mut body: &[u8]) -> Record {
    let interface = word(&mut body);
    let ticks = u64::from(word(&mut body)) << 32 | u64::from(word(&mut body));
    let (captured_len, original_len) = (word(&mut body), word(&mut body));
    let data = padded(&mut body, captured_len as usize).to_vec();
    let options = options(body);
    let mut flags = options[&EPB_FLAGS];
    assert_eq!(flags.len(), 4);
    let comment = options.get(&COMMENT).map(|bytes| text(bytes));
    Record { interface, ticks, original_len, flags: word(&mut flags), comment, data }
}

/// Returns the body of the next block, which must have this type (§3.1).
fn block<'a>(file: &mut &'a [u8], of_type: u32) -> &'a [u8] {
    assert_eq!(word(file), of_type);
    let length = word(file) as usize;
    assert!(length >= 12 && length.is_multiple_of(4), "a block of {length} bytes");
    let body = take(file, length - 12);
    assert_eq!(word(file) as usize, length, "the length is repeated");
    body
}

/// Returns options by code, each once (§3.5).
fn options(mut body: &[u8]) -> BTreeMap<u16, &[u8]> {
    let mut options = BTreeMap::new();
    loop {
        let (code, length) = (half(&mut body), half(&mut body));
        if code == 0 {
            assert!(length == 0 && body.is_empty(), "bytes after the end of options: {body:?}");
            return options;
        }
        let other = options.insert(code, padded(&mut body, length.into()));
        assert_eq!(other, None, "option {code} twice");
    }
}

/// Returns bytes, and skips the zeros that pad them to a word boundary.
fn padded<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let taken = take(bytes, length);
    let padding = take(bytes, length.next_multiple_of(4) - length);
    assert!(padding.iter().all(|&byte| byte == 0));
    taken
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at_checked(length).expect("the file ends too early");
    *bytes = rest;
    taken
}

fn half(bytes: &mut &[u8]) -> u16 {
    u16::from_le_bytes(take(bytes, 2).try_into().expect("two bytes"))
}

fn word(bytes: &mut &[u8]) -> u32 {
    u32::from_le_bytes(take(bytes, 4).try_into().expect("four bytes"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
