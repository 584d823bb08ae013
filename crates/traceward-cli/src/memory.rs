//! Memory as the program takes it from the system: what is large is asked for in large pages.
//!
//! A trace is a few columns of many megabytes, tables of keys are no smaller, and keys are looked
//! for all over them. In pages of four kilobytes a quarter of the time of reading a table went into
//! first touches of pages, and many keys wait for addresses to be translated. Linux gives pages of
//! two megabytes to whoever asks, which no allocator does by itself.
//!
//! This module has the only unsafe code of the program: an allocator cannot be written without.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

/// The size from which on memory is asked for in large pages: two of those. In less there may be
/// none that is whole.
const LARGE: usize = 4 << 20;

/// The system's allocator, which asks for large pages where they are worth it.
#[derive(Debug)]
pub struct LargePages;

// SAFETY: All memory is that of the system's allocator, with its layouts. Advice changes neither
// what is in memory nor whom it belongs to.
unsafe impl GlobalAlloc for LargePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what is promised to this function is what that one asks for.
        let memory = unsafe { System.alloc(layout) };
        advise(memory, layout.size());
        memory
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let memory = unsafe { System.alloc_zeroed(layout) };
        advise(memory, layout.size());
        memory
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let memory = unsafe { System.realloc(memory, layout, size) };
        advise(memory, size);
        memory
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Asks for large pages in some memory, if it is large and if there is any.
#[inline]
fn advise(memory: *mut u8, size: usize) {
    if size >= LARGE && !memory.is_null() {
        ask_for_large_pages(memory, size);
    }
}

/// All pages of the memory are named, also those that it shares with something else: a mapping of
/// which only a part is of large pages is two, and the system moves only one at a time. Memory that
/// grows would be copied, and be there twice meanwhile.
#[cfg(target_os = "linux")]
#[cold]
fn ask_for_large_pages(memory: *mut u8, size: usize) {
    use rustix::mm::{Advice, madvise};
    let page = rustix::param::page_size();
    let before = memory.addr() % page;
    let start = memory.wrapping_sub(before);
    // SAFETY: The pages are those of memory that was just allocated, and advice to use large ones
    // has no effect on what is there. It may be refused: then pages are small.
    let _ = unsafe { madvise(start.cast(), (before + size).next_multiple_of(page), Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
#[cold]
fn ask_for_large_pages(_: *mut u8, _: usize) {}
