//! Data that a kernel needs for objects; tests of `airhop-live` show that a kernel accepts it.

use crate::heeds;
use airhop_bpf::loading::{LoadTimeValue, LoadableMap, LoadableObject, MemberValue, ProgramKind};

const ELN: &[u8] = include_bytes!("../../../python/airhop/bpf/eln.bpf.o");

fn eln() -> LoadableObject {
    LoadableObject::read(ELN, "eln.bpf.o").unwrap()
}

fn map<'a>(object: &'a LoadableObject, name: &str) -> &'a LoadableMap {
    object.maps.iter().find(|map| map.name == name).unwrap()
}

/// The maps of `notices.h`: a hash from connections (36 bytes) to named segments (4 + 16 * 4), and two
/// counters in the data.
#[test]
fn maps_and_data_of_an_object_are_loaded() {
    let object = eln();
    let notices = map(&object, "airhop_notices");
    // BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC.
    assert_eq!(
        (notices.kind, notices.key_bytes, notices.value_bytes, notices.max_entries, notices.flags),
        (1, 36, 68, 65536, 1)
    );
    assert!(notices.key_value_types.is_some() && notices.content.is_none());
    let data = map(&object, ".bss");
    assert_eq!((data.kind, data.key_bytes, data.value_bytes, data.max_entries), (2, 4, 16, 1));
    assert_eq!(data.content.as_deref(), Some(&[0; 16][..]));
    assert!(data.variable_offsets.keys().map(String::as_str).eq(["cuts_spared", "notices_heard"]));
    assert_eq!(object.license, "Dual BSD/GPL");
}

/// Members have their names, including `name`; members other than callbacks are plain bytes.
#[test]
fn struct_ops_members_are_loaded_by_name() {
    let object = eln();
    let [control] = &object.congestion_controls[..] else { panic!("one control") };
    assert_eq!((control.name.as_str(), control.variable.as_str()), ("bpf_eln", "eln"));
    let callbacks = control.members.iter().filter_map(|(name, value)| match value {
        MemberValue::Program(place) => Some((name.as_str(), object.programs[*place].name.as_str())),
        MemberValue::Bytes(_) => None,
    });
    let named: Vec<_> = callbacks.collect();
    assert!(
        named.contains(&("ssthresh", "eln_ssthresh")) && named.contains(&("init", "eln_init")),
        "{named:?}"
    );
    let filters: Vec<_> =
        object.programs.iter().filter(|program| program.kind == ProgramKind::Filter).collect();
    assert!(matches!(&filters[..], [one] if one.name == "hear_notices"));
}

/// bpf(2): relocations are at instructions of the matching kind, and the records start with the program's
/// first instruction.
#[test]
fn a_relocation_must_match_its_instruction() {
    let object = eln();
    for program in &object.programs {
        assert_eq!(program.code.len() % 8, 0);
        assert_eq!(program.func_info[0][0], 0, "{}", program.name);
        assert_eq!(program.line_info[0][0], 0, "{}", program.name);
        for (at, fill) in &program.load_time_values {
            let instruction = &program.code[8 * at..8 * at + 8];
            match fill {
                // BPF_LD | BPF_IMM | BPF_DW with BPF_PSEUDO_MAP_FD or BPF_PSEUDO_MAP_VALUE.
                LoadTimeValue::Map(map) => assert!(
                    *map < object.maps.len()
                        && instruction[0] == 0x18
                        && matches!(instruction[1] >> 4, 1 | 2)
                ),
                // BPF_JMP | BPF_CALL with BPF_PSEUDO_KFUNC_CALL.
                LoadTimeValue::Kernel(name) => assert!(!name.is_empty() && instruction[..2] == [0x85, 0x20]),
            }
            assert_eq!(instruction[4..], [0; 4]);
        }
    }
    let ssthresh = object.programs.iter().find(|program| program.name == "eln_ssthresh").unwrap();
    assert!(
        ssthresh
            .load_time_values
            .iter()
            .any(|(_, fill)| *fill == LoadTimeValue::Kernel("tcp_reno_ssthresh".into()))
    );
    assert!(
        !ssthresh.core_relocations.is_empty(),
        "members of the kernel's structures are looked up by the kernel"
    );
}

/// Externs of the kernel's configuration (libbpf: `__kconfig`) are read from a map that the loader fills in;
/// a message names unknown externs.
#[test]
fn kernel_configuration_externs_are_read_from_a_map() {
    let mut object = LoadableObject::read(heeds::OBJECT, "heeds.bpf.o").unwrap();
    object.set_kconfig_values(|name| (name == "CONFIG_HZ").then_some(250));
    let options = map(&object, ".kconfig");
    assert_eq!(options.content, Some(250_u64.to_ne_bytes().to_vec()));
    assert!(options.is_read_only());
    let init = object.programs.iter().find(|program| program.name == "heeds_init").unwrap();
    let place = object.maps.iter().position(|map| map.name == ".kconfig").unwrap();
    assert!(init.load_time_values.iter().any(|(_, fill)| *fill == LoadTimeValue::Map(place)));
    let renamed: Vec<u8> = heeds::OBJECT.to_vec();
    let places = (0..renamed.len() - 9).filter(|&at| renamed[at..].starts_with(b"CONFIG_HZ"));
    let renamed = places.fold(renamed.clone(), |mut bytes, at| {
        bytes[at + 8] = b'X';
        bytes
    });
    let refusal = LoadableObject::read(&renamed, "x.bpf.o").unwrap_err().to_string();
    assert!(refusal.contains("section .kconfig: refers to CONFIG_HX"), "{refusal}");
}
