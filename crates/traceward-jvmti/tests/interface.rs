//! The numbers of functions, events and capabilities against the headers of the JDK: a C program
//! tells what they are there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use traceward_jvmti::interface::{
    Callbacks, Capabilities, Capability, Frame, Jvalue, LineEntry, NativeTable, ToolTable,
};

/// The folder of the JDK's headers.
fn headers() -> PathBuf {
    let javac = Command::new("sh").args(["-c", "readlink -f \"$(command -v javac)\""]).output().expect("a shell");
    let javac = String::from_utf8(javac.stdout).expect("a path");
    let home = Path::new(javac.trim()).parent().and_then(Path::parent).expect("no JDK: `./test` installs one");
    let include = home.join("include");
    assert!(include.join("jvmti.h").exists(), "no jvmti.h in {}: the JDK is not complete", include.display());
    include
}

fn program() -> String {
    let mut program = String::from(
        "#include <jvmti.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n\
         #define BIT(name) { jvmtiCapabilities c; unsigned char *b = (unsigned char *)&c; memset(&c, 0, sizeof c);\\\n\
           c.name = 1; for (int i = 0; i < 128; i++) if (b[i / 8] >> (i % 8) & 1) printf(\"%s %d\\n\", #name, i); }\n\
         int main(void) {\n",
    );
    let mut line = |text: &str, value: &str| writeln!(program, "printf(\"%s %zu\\n\", \"{text}\", (size_t)({value}));");
    for (name, _) in ToolTable::FUNCTIONS {
        line(name, &format!("offsetof(struct jvmtiInterface_1_, {name}) / sizeof(void *)")).expect("a text");
    }
    for (name, _) in NativeTable::FUNCTIONS {
        line(name, &format!("offsetof(struct JNINativeInterface_, {name}) / sizeof(void *)")).expect("a text");
    }
    for name in ["VMInit", "VMDeath", "ClassPrepare", "FramePop", "Breakpoint", "FieldModification", "ObjectFree"] {
        line(name, &format!("offsetof(jvmtiEventCallbacks, {name})")).expect("a text");
    }
    for name in ["jvmtiEventCallbacks", "jvmtiCapabilities", "jvmtiFrameInfo", "jvmtiLineNumberEntry", "jvalue"] {
        line(name, &format!("sizeof({name})")).expect("a text");
    }
    line("GetEnv", "offsetof(struct JNIInvokeInterface_, GetEnv) / sizeof(void *)").expect("a text");
    for (_, name) in Capability::ALL {
        writeln!(program, "BIT({name})").expect("a text");
    }
    program + "return 0; }\n"
}

fn ours() -> String {
    let functions = ToolTable::FUNCTIONS.iter().chain(NativeTable::FUNCTIONS);
    let mut lines: Vec<(&str, usize)> = functions.copied().collect();
    lines.extend([
        ("VMInit", std::mem::offset_of!(Callbacks, vm_init)),
        ("VMDeath", std::mem::offset_of!(Callbacks, vm_death)),
        ("ClassPrepare", std::mem::offset_of!(Callbacks, class_prepare)),
        ("FramePop", std::mem::offset_of!(Callbacks, frame_pop)),
        ("Breakpoint", std::mem::offset_of!(Callbacks, breakpoint)),
        ("FieldModification", std::mem::offset_of!(Callbacks, field_modification)),
        ("ObjectFree", std::mem::offset_of!(Callbacks, object_free)),
        ("jvmtiEventCallbacks", size_of::<Callbacks>()),
        ("jvmtiCapabilities", size_of::<Capabilities>()),
        ("jvmtiFrameInfo", size_of::<Frame>()),
        ("jvmtiLineNumberEntry", size_of::<LineEntry>()),
        ("jvalue", size_of::<Jvalue>()),
        ("GetEnv", 6),
    ]);
    lines.extend(Capability::ALL.map(|(capability, name)| (name, capability as usize)));
    lines.into_iter().map(|(name, number)| format!("{name} {number}\n")).collect()
}

#[test]
fn the_tables_are_those_of_the_headers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join("interface.c"), folder.join("interface"));
    std::fs::write(&source, program()).expect("a program");
    let include = headers();
    let mut gcc = Command::new("gcc");
    gcc.arg("-I").arg(&include).arg("-I").arg(include.join("linux")).arg(&source).arg("-o").arg(&binary);
    let compiled = gcc.output().expect("gcc cannot be started; `./test` installs what is missing");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let theirs = Command::new(&binary).output().expect("a program");
    assert_eq!(String::from_utf8_lossy(&theirs.stdout), ours());
}
