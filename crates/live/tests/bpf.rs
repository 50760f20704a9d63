//! Congestion controls in BPF objects, loaded into the kernel of this machine.

use airhop_bpf::loading::LoadableObject;
use airhop_live::host::bpf::deployment::dry_run;
use airhop_live::host::bpf::{RegisteredObject, is_control_available};
use airhop_live::privileges::{Privileges, skip_test};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/airhop/bpf");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "o"));
    files.sort();
    files
}

fn read(path: &Path) -> LoadableObject {
    LoadableObject::read(&fs::read(path).unwrap(), &path.to_string_lossy())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// True if this process can load objects into the kernel of this machine.
fn possible() -> bool {
    let able = Privileges::detect().struct_ops;
    able.map_err(|missing| skip_test(&missing)).is_ok()
}

/// Time limit, longer than any live test that uses the same object.
const PATIENCE: Duration = Duration::from_secs(60);

/// The kernel's own verifier accepts each object that comes with Airhop. The congestion control is registered
/// in the kernel as long as the descriptors are open; a second registration of the same object receives a
/// different name. A process of another test may have registered the object in the meantime.
#[test]
fn the_kernel_accepts_and_unloads_every_shipped_object() {
    if !possible() {
        return;
    }
    for file in &shipped() {
        let name = read(file).congestion_controls[0].name.clone();
        let registered = RegisteredObject::new(read(file), &name)
            .unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let again = RegisteredObject::new(read(file), &name).unwrap();
        let names = [registered.name(), again.name()].map(String::from);
        assert!(
            names.iter().all(|name| name.len() <= 15 && is_control_available(name)) && names[0] != names[1],
            "{names:?}"
        );
        drop((registered, again));
        // Between fork and exec, the processes of other tests have copies of the descriptors, so the control
        // may remain for a moment.
        let patience = Instant::now() + PATIENCE;
        while names.iter().any(|name| is_control_available(name)) {
            assert!(Instant::now() < patience, "{names:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// An object that refers to the kernel's configuration receives the values of this kernel.
#[test]
fn an_object_reads_the_configuration_of_the_running_kernel() {
    if !possible() {
        return;
    }
    let object = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects/heeds.bpf.o");
    let registered = RegisteredObject::new(read(&object), "heeds").unwrap_or_else(|why| panic!("{why}"));
    let ticks = registered.read_counter("CONFIG_HZ").expect("the map of options");
    assert!([100, 250, 300, 1000].contains(&ticks), "{ticks}");
}

/// Replaces the object's first program by `r0 = r9; exit`, where r9 has never been set.
fn with_unset_register(mut object: LoadableObject) -> LoadableObject {
    object.programs[0].code = vec![0xbf, 0x90, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0];
    object.programs[0].load_time_values.clear();
    object.programs[0].line_info.clear();
    object.programs[0].core_relocations.clear();
    object.programs[0].func_info.truncate(1);
    object
}

/// If the kernel refuses an object, the error has the kernel's message and the name of the program.
#[test]
fn a_verifier_refusal_names_the_program() {
    if !possible() {
        return;
    }
    let object = with_unset_register(read(&shipped()[0]));
    let name = object.congestion_controls[0].name.clone();
    let refused = RegisteredObject::new(object, &name).unwrap_err();
    assert!(refused.contains("R9 !read_ok") && refused.contains("rejects"), "{refused}");
}

/// A dry run returns a result for each program: the verifier's reason if it refuses the program, or else the
/// number of instructions that it verified. The members of the control are checked only if the kernel accepts
/// all programs.
#[test]
fn a_dry_run_reports_the_verifier_result_of_every_program() {
    if !possible() {
        return;
    }
    let whole = read(&shipped()[0]);
    let name = whole.congestion_controls[0].name.clone();
    let accepted = dry_run(whole.clone(), &name).unwrap();
    assert_eq!(accepted.len(), whole.programs.len() + 1);
    assert!(accepted.iter().all(|verdict| verdict.accepted), "{accepted:?}");
    assert!(accepted[0].log_lines[0].starts_with("processed "), "{accepted:?}");
    let mixed = dry_run(with_unset_register(whole.clone()), &name).unwrap();
    assert_eq!(mixed.len(), whole.programs.len());
    let (refused, others): (Vec<_>, Vec<_>) = mixed.iter().partition(|verdict| !verdict.accepted);
    assert_eq!(refused.len(), 1, "{mixed:?}");
    assert!(refused[0].log_lines.iter().any(|line| line.contains("R9 !read_ok")), "{refused:?}");
    assert!(others.iter().all(|verdict| verdict.log_lines[0].starts_with("processed ")), "{others:?}");
}
