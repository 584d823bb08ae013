//! Texts on their way in and out.

use std::ffi::{CStr, CString, c_char};

/// A text that a caller gave.
pub(crate) enum Text<'a> {
    Given(&'a str),
    Null,
    NotUtf8,
}

/// The text at a pointer.
///
/// # Safety
/// The pointer is null, or that of a text which ends with a zero and lasts as long as what is
/// returned.
pub(crate) unsafe fn given<'a>(text: *const c_char) -> Text<'a> {
    if text.is_null() {
        return Text::Null;
    }
    // SAFETY: the caller's promise.
    match unsafe { CStr::from_ptr(text) }.to_str() {
        Ok(text) => Text::Given(text),
        Err(_) => Text::NotUtf8,
    }
}

/// A text as one of C. A zero inside, which C takes for the end, is shown as U+FFFD.
pub(crate) fn for_c(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{FFFD}")).unwrap_or_default()
}

/// A text that the caller owns.
pub(crate) fn owned(text: &str) -> *mut c_char {
    for_c(text).into_raw()
}

/// Takes back a text that the caller owned.
///
/// # Safety
/// The pointer is null or came from [`owned`], and is not used afterwards.
pub(crate) unsafe fn give_back(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { CString::from_raw(text) });
    }
}
