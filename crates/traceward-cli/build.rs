//! How the program is linked, and nothing but the program: libraries that carry the same code, such
//! as the module for Python, are loaded wherever there is room.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_loaded_by_glibc() && env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        // At a place of its own the program has no addresses to be put right when it is loaded.
        // There were 42,000, and to do so was a third of the time to start. Memory that it asks
        // for, the stack and the libraries are placed at random all the same.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Whether the program is one for Linux that uses the shared C library of GNU, whose compilers know
/// the flag.
fn is_loaded_by_glibc() -> bool {
    let of_target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    of_target("OS") == "linux" && of_target("ENV") == "gnu" && !of_target("FEATURE").contains("crt-static")
}
