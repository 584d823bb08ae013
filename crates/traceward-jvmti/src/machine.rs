//! What is asked of the virtual machine, in the words of the agent.
//!
//! Nothing here calls a method of Java, except what loads classes before the program starts: the
//! agent reads fields, so it cannot wait for the program or call itself.

use crate::interface::{
    Capabilities, Capability, Class, Error, Event, FieldId, Frame, Jvalue, LineEntry, MethodId, Native, NativeTable,
    Object, Thread, Tool, ToolTable,
};
use std::ffi::{CStr, CString, c_char};
use std::ptr;

/// The virtual machine as a callback sees it, on its thread and until it returns.
#[derive(Clone, Copy)]
pub(crate) struct Jvm {
    tool: Tool,
    native: Native,
}

/// An object that stays valid on all threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Global(usize);

impl Global {
    pub(crate) fn object(self) -> Object {
        self.0 as Object
    }
}

/// A field as its class declares it.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The type as class files write it: `I`, `Ljava/lang/String;`, `[I`.
    pub(crate) signature: String,
    pub(crate) is_static: bool,
}

const STATIC: i32 = 0x0008;
const PREPARED: i32 = 2;
const INITIALIZED: i32 = 4;

impl Jvm {
    /// # Safety
    /// Both are what the virtual machine gave this thread, and the value is not used after the
    /// callback has returned. Objects that are given to the functions are of the same kind.
    pub(crate) unsafe fn new(tool: Tool, native: Native) -> Self {
        Self { tool, native }
    }

    fn tool(self) -> &'static ToolTable {
        // SAFETY: the promise of `new`; the table lasts as long as the machine.
        unsafe { &**self.tool }
    }

    fn native(self) -> &'static NativeTable {
        // SAFETY: the promise of `new`; the table lasts as long as the machine.
        unsafe { &**self.native }
    }

    // ---- what is to be told ----

    pub(crate) fn add(self, wanted: impl IntoIterator<Item = Capability>) -> Result<(), String> {
        let wanted: Capabilities = wanted.into_iter().collect();
        // SAFETY: the promise of `new`; the pointer is that of a value that lasts.
        self.checked("AddCapabilities", unsafe { self.tool().add_capabilities()(self.tool, &raw const wanted) })
    }

    pub(crate) fn enable(self, event: Event) -> Result<(), String> {
        const ENABLE: i32 = 1;
        let set = self.tool().set_event_notification_mode();
        // SAFETY: the promise of `new`; no thread means all of them.
        self.checked("SetEventNotificationMode", unsafe { set(self.tool, ENABLE, event as i32, ptr::null_mut()) })
    }

    pub(crate) fn watch(self, class: Class, field: FieldId) -> Result<(), String> {
        const ALREADY: Error = 40;
        // SAFETY: the promise of `new`; the field is one of the class.
        match unsafe { self.tool().set_field_modification_watch()(self.tool, class, field) } {
            ALREADY => Ok(()),
            error => self.checked("SetFieldModificationWatch", error),
        }
    }

    /// Stops at the beginning of a method, to tell that it was called.
    pub(crate) fn break_at_start(self, method: MethodId) -> Result<(), String> {
        const ALREADY: Error = 40;
        // SAFETY: the promise of `new`; a method that has no code is refused.
        match unsafe { self.tool().set_breakpoint()(self.tool, method, 0) } {
            ALREADY => Ok(()),
            error => self.checked("SetBreakpoint", error),
        }
    }

    /// Asks to be told when a frame goes; false if that cannot be told.
    pub(crate) fn notify_frame_pop(self, thread: Thread, depth: i32) -> bool {
        // SAFETY: the promise of `new`.
        unsafe { self.tool().notify_frame_pop()(self.tool, thread, depth) == 0 }
    }

    // ---- classes ----

    /// The name of a class as programs write it: `pkg.Outer$Inner`.
    pub(crate) fn class_name(self, class: Class) -> String {
        let mut text = ptr::null_mut();
        // SAFETY: the promise of `new`; the place can be written, and nobody wants the generic one.
        let error = unsafe { self.tool().get_class_signature()(self.tool, class, &raw mut text, ptr::null_mut()) };
        let signature = self.text(error, text).unwrap_or_default();
        match signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')) {
            Some(name) => name.replace('/', "."),
            None => signature,
        }
    }

    fn status(self, class: Class) -> i32 {
        let mut status = 0;
        // SAFETY: the promise of `new`; the place can be written.
        unsafe { self.tool().get_class_status()(self.tool, class, &raw mut status) };
        status
    }

    pub(crate) fn is_prepared(self, class: Class) -> bool {
        self.status(class) & PREPARED != 0
    }

    /// Whether the class has been initialised, all of it.
    pub(crate) fn is_initialized(self, class: Class) -> bool {
        self.status(class) & INITIALIZED != 0
    }

    pub(crate) fn superclass(self, class: Class) -> Option<Class> {
        // SAFETY: the promise of `new`.
        let superclass = unsafe { self.native().get_superclass()(self.native, class) };
        (!superclass.is_null()).then_some(superclass)
    }

    pub(crate) fn interfaces(self, class: Class) -> Vec<Class> {
        self.list(|count, list| {
            // SAFETY: the promise of `new`; both places can be written.
            unsafe { self.tool().get_implemented_interfaces()(self.tool, class, count, list) }
        })
    }

    pub(crate) fn loaded_classes(self) -> Vec<Class> {
        self.list(|count, list| {
            // SAFETY: the promise of `new`; both places can be written.
            unsafe { self.tool().get_loaded_classes()(self.tool, count, list) }
        })
    }

    /// Loads a class of the program and links it, without initialising it: no code of it runs. None
    /// if there is no such class.
    pub(crate) fn load(self, name: &str) -> Option<Class> {
        let class = self.try_load(name);
        self.is_clear();
        class
    }

    /// Whether no exception is pending; one that is, is forgotten.
    fn is_clear(self) -> bool {
        // SAFETY: the promise of `new`.
        unsafe {
            let is_clear = self.native().exception_check()(self.native) == 0;
            if !is_clear {
                self.native().exception_clear()(self.native);
            }
            is_clear
        }
    }

    fn try_load(self, name: &str) -> Option<Class> {
        let class = self.find_class(c"java/lang/Class")?;
        let loader = self.find_class(c"java/lang/ClassLoader")?;
        let system = (c"getSystemClassLoader", c"()Ljava/lang/ClassLoader;");
        let system = self.call_static(loader, system, &[])?;
        let name = CString::new(name).ok()?;
        // SAFETY: the promise of `new`; the text ends with a zero.
        let name = unsafe { self.native().new_string()(self.native, name.as_ptr()) };
        let for_name = (c"forName", c"(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
        let arguments = [Jvalue { l: name }, Jvalue { j: 0 }, Jvalue { l: system }];
        let found = self.call_static(class, for_name, &arguments)?;
        // Whoever asks for the fields of a class links it, and then it is prepared.
        let fields = (c"getDeclaredFields", c"()[Ljava/lang/reflect/Field;");
        self.call(class, found, fields).map(|_| found)
    }

    /// What a static method returns; none if it throws or returns null.
    fn call_static(self, class: Class, (name, signature): (&CStr, &CStr), arguments: &[Jvalue]) -> Option<Object> {
        let native = self.native();
        // SAFETY: the promise of `new`; the arguments are those of the signature.
        let object = unsafe {
            let method = native.get_static_method_id()(self.native, class, name.as_ptr(), signature.as_ptr());
            if !self.is_clear() || method.0 == 0 {
                return None;
            }
            native.call_static_object_method()(self.native, class, method, arguments.as_ptr())
        };
        (self.is_clear() && !object.is_null()).then_some(object)
    }

    /// What a method without arguments returns; none if it throws or returns null.
    fn call(self, class: Class, object: Object, (name, signature): (&CStr, &CStr)) -> Option<Object> {
        let native = self.native();
        // SAFETY: the promise of `new`; the object is one of the class.
        let returned = unsafe {
            let method = native.get_method_id()(self.native, class, name.as_ptr(), signature.as_ptr());
            if !self.is_clear() || method.0 == 0 {
                return None;
            }
            native.call_object_method()(self.native, object, method, ptr::null())
        };
        (self.is_clear() && !returned.is_null()).then_some(returned)
    }

    // ---- fields and methods ----

    pub(crate) fn fields(self, class: Class) -> Vec<FieldId> {
        self.list(|count, list| {
            // SAFETY: the promise of `new`; both places can be written.
            unsafe { self.tool().get_class_fields()(self.tool, class, count, list) }
        })
    }

    pub(crate) fn declared(self, class: Class, field: FieldId) -> Option<Declared> {
        let (mut name, mut signature, mut modifiers) = (ptr::null_mut(), ptr::null_mut(), 0);
        let tool = self.tool();
        // SAFETY: the promise of `new`; the places can be written, the field is one of the class.
        let (error, second) = unsafe {
            let get = tool.get_field_name();
            let error = get(self.tool, class, field, &raw mut name, &raw mut signature, ptr::null_mut());
            (error, tool.get_field_modifiers()(self.tool, class, field, &raw mut modifiers))
        };
        let (name, signature) = (self.text(error, name)?, self.text(error, signature)?);
        (second == 0).then_some(Declared { name, signature, is_static: modifiers & STATIC != 0 })
    }

    pub(crate) fn methods(self, class: Class) -> Vec<MethodId> {
        self.list(|count, list| {
            // SAFETY: the promise of `new`; both places can be written.
            unsafe { self.tool().get_class_methods()(self.tool, class, count, list) }
        })
    }

    pub(crate) fn method_name(self, method: MethodId) -> String {
        let mut name = ptr::null_mut();
        let get = self.tool().get_method_name();
        // SAFETY: the promise of `new`; the place can be written, the others are not wanted.
        let error = unsafe { get(self.tool, method, &raw mut name, ptr::null_mut(), ptr::null_mut()) };
        self.text(error, name).unwrap_or_default()
    }

    pub(crate) fn is_static(self, method: MethodId) -> bool {
        let mut modifiers = 0;
        // SAFETY: the promise of `new`; the place can be written.
        unsafe { self.tool().get_method_modifiers()(self.tool, method, &raw mut modifiers) };
        modifiers & STATIC != 0
    }

    fn declaring_class(self, method: MethodId) -> Option<Class> {
        let mut class = ptr::null_mut();
        // SAFETY: the promise of `new`; the place can be written.
        let error = unsafe { self.tool().get_method_declaring_class()(self.tool, method, &raw mut class) };
        (error == 0 && !class.is_null()).then_some(class)
    }

    // ---- the stack ----

    /// The innermost frames of a thread, the innermost first.
    pub(crate) fn stack(self, thread: Thread, most: usize) -> Vec<Frame> {
        let mut frames = vec![Frame { method: MethodId(0), location: 0 }; most];
        let mut count = 0;
        let get = self.tool().get_stack_trace();
        // SAFETY: the promise of `new`; there is room for so many frames.
        let error = unsafe { get(self.tool, thread, 0, most as i32, frames.as_mut_ptr(), &raw mut count) };
        frames.truncate(if error == 0 { count as usize } else { 0 });
        frames
    }

    pub(crate) fn frame_count(self, thread: Thread) -> i32 {
        let mut count = 0;
        // SAFETY: the promise of `new`; the place can be written.
        unsafe { self.tool().get_frame_count()(self.tool, thread, &raw mut count) };
        count
    }

    /// The object whose method runs in a frame; none in a static method.
    pub(crate) fn this(self, thread: Thread, depth: i32) -> Option<Object> {
        let mut object = ptr::null_mut();
        // SAFETY: the promise of `new`; the place can be written.
        let error = unsafe { self.tool().get_local_instance()(self.tool, thread, depth, &raw mut object) };
        (error == 0 && !object.is_null()).then_some(object)
    }

    /// The function of a frame: `pkg.Class.method`.
    pub(crate) fn function(self, method: MethodId) -> String {
        let class = self.declaring_class(method).map(|class| self.class_name(class)).unwrap_or_default();
        format!("{class}.{}", self.method_name(method))
    }

    /// The place of a frame in the source: `File.java:17`, as far as the class file tells.
    pub(crate) fn place(self, frame: Frame) -> String {
        let file = self.declaring_class(frame.method).and_then(|class| self.source_file(class));
        match (file, self.line(frame)) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file,
            (None, _) => "Unknown Source".to_owned(),
        }
    }

    fn source_file(self, class: Class) -> Option<String> {
        let mut name = ptr::null_mut();
        // SAFETY: the promise of `new`; the place can be written.
        let error = unsafe { self.tool().get_source_file_name()(self.tool, class, &raw mut name) };
        self.text(error, name)
    }

    fn line(self, frame: Frame) -> Option<i32> {
        let table: Vec<LineEntry> = self.list(|count, list| {
            // SAFETY: the promise of `new`; both places can be written.
            unsafe { self.tool().get_line_number_table()(self.tool, frame.method, count, list) }
        });
        let before = table.iter().filter(|entry| entry.start <= frame.location);
        before.max_by_key(|entry| entry.start).map(|entry| entry.line)
    }

    // ---- objects ----

    pub(crate) fn tag(self, object: Object) -> i64 {
        let mut tag = 0;
        // SAFETY: the promise of `new`; the place can be written.
        unsafe { self.tool().get_tag()(self.tool, object, &raw mut tag) };
        tag
    }

    pub(crate) fn set_tag(self, object: Object, tag: i64) {
        // SAFETY: the promise of `new`.
        unsafe { self.tool().set_tag()(self.tool, object, tag) };
    }

    pub(crate) fn global(self, object: Object) -> Global {
        // SAFETY: the promise of `new`.
        Global(unsafe { self.native().new_global_ref()(self.native, object) } as usize)
    }

    pub(crate) fn forget(self, object: Object) {
        // SAFETY: the promise of `new`; the caller does not use the object any more.
        unsafe { self.native().delete_local_ref()(self.native, object) };
    }

    pub(crate) fn is_same(self, one: Object, other: Object) -> bool {
        // SAFETY: the promise of `new`.
        unsafe { self.native().is_same_object()(self.native, one, other) != 0 }
    }

    pub(crate) fn is_instance(self, object: Object, class: Class) -> bool {
        // SAFETY: the promise of `new`.
        unsafe { self.native().is_instance_of()(self.native, object, class) != 0 }
    }

    /// Whether every object of the first class is one of the second.
    pub(crate) fn is_subclass(self, class: Class, of: Class) -> bool {
        // SAFETY: the promise of `new`.
        unsafe { self.native().is_assignable_from()(self.native, class, of) != 0 }
    }

    pub(crate) fn class_of(self, object: Object) -> Class {
        // SAFETY: the promise of `new`.
        unsafe { self.native().get_object_class()(self.native, object) }
    }

    pub(crate) fn find_class(self, name: &CStr) -> Option<Class> {
        // SAFETY: the promise of `new`.
        let class = unsafe { self.native().find_class()(self.native, name.as_ptr()) };
        (!class.is_null()).then_some(class)
    }

    pub(crate) fn find_field(self, class: Class, name: &CStr, signature: &CStr) -> Option<FieldId> {
        let get = self.native().get_field_id();
        // SAFETY: the promise of `new`.
        let field = unsafe { get(self.native, class, name.as_ptr(), signature.as_ptr()) };
        (field.0 != 0).then_some(field)
    }

    pub(crate) fn object_field(self, object: Object, field: FieldId) -> Object {
        // SAFETY: the promise of `new`; the field is one of the object and a reference.
        unsafe { self.native().get_object_field()(self.native, object, field) }
    }

    /// The value of a field of an object, of the type that the letter of a signature tells.
    pub(crate) fn field_value(self, object: Object, field: FieldId, letter: u8) -> Jvalue {
        let (native, env) = (self.native(), self.native);
        // SAFETY: the promise of `new`; the field is one of the object, and of this type.
        unsafe {
            match letter {
                b'Z' => Jvalue { z: native.get_boolean_field()(env, object, field) },
                b'B' => Jvalue { b: native.get_byte_field()(env, object, field) },
                b'C' => Jvalue { c: native.get_char_field()(env, object, field) },
                b'S' => Jvalue { s: native.get_short_field()(env, object, field) },
                b'I' => Jvalue { i: native.get_int_field()(env, object, field) },
                b'J' => Jvalue { j: native.get_long_field()(env, object, field) },
                b'F' => Jvalue { f: native.get_float_field()(env, object, field) },
                b'D' => Jvalue { d: native.get_double_field()(env, object, field) },
                _ => Jvalue { l: native.get_object_field()(env, object, field) },
            }
        }
    }

    /// The value of a static field, of the type that the letter of a signature tells.
    pub(crate) fn static_value(self, class: Class, field: FieldId, letter: u8) -> Jvalue {
        let (native, env) = (self.native(), self.native);
        // SAFETY: the promise of `new`; the field is one of the class, and of this type.
        unsafe {
            match letter {
                b'Z' => Jvalue { z: native.get_static_boolean_field()(env, class, field) },
                b'B' => Jvalue { b: native.get_static_byte_field()(env, class, field) },
                b'C' => Jvalue { c: native.get_static_char_field()(env, class, field) },
                b'S' => Jvalue { s: native.get_static_short_field()(env, class, field) },
                b'I' => Jvalue { i: native.get_static_int_field()(env, class, field) },
                b'J' => Jvalue { j: native.get_static_long_field()(env, class, field) },
                b'F' => Jvalue { f: native.get_static_float_field()(env, class, field) },
                b'D' => Jvalue { d: native.get_static_double_field()(env, class, field) },
                _ => Jvalue { l: native.get_static_object_field()(env, class, field) },
            }
        }
    }

    /// The text of a `java.lang.String`; halves of characters are shown as U+FFFD.
    pub(crate) fn string(self, string: Object) -> String {
        let native = self.native();
        // SAFETY: the promise of `new`; the object is a string, and there is room for all of it.
        let units = unsafe {
            let length = native.get_string_length()(self.native, string);
            let mut units = vec![0; usize::try_from(length).unwrap_or_default()];
            native.get_string_region()(self.native, string, 0, length, units.as_mut_ptr());
            units
        };
        String::from_utf16_lossy(&units)
    }

    // ---- results of the tool interface ----

    fn checked(self, function: &str, error: Error) -> Result<(), String> {
        if error == 0 {
            return Ok(());
        }
        let mut name = ptr::null_mut();
        // SAFETY: the promise of `new`; the place can be written.
        let second = unsafe { self.tool().get_error_name()(self.tool, error, &raw mut name) };
        let name = self.text(second, name).unwrap_or_else(|| error.to_string());
        Err(format!("the virtual machine refuses {function}: {name}"))
    }

    /// A text that the machine has allocated, which is given back to it.
    fn text(self, error: Error, text: *mut c_char) -> Option<String> {
        if error != 0 || text.is_null() {
            return None;
        }
        // SAFETY: without an error it is a text that ends with a zero, and it is ours.
        unsafe {
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            self.tool().deallocate()(self.tool, text.cast());
            Some(copy)
        }
    }

    /// A list that the machine has allocated, which is given back to it; empty if there is none.
    fn list<T: Copy>(self, get: impl FnOnce(*mut i32, *mut *mut T) -> Error) -> Vec<T> {
        let (mut count, mut list) = (0, ptr::null_mut());
        if get(&raw mut count, &raw mut list) != 0 || list.is_null() {
            return Vec::new();
        }
        // SAFETY: without an error the list has so many members, and it is ours.
        unsafe {
            let copy = std::slice::from_raw_parts(list, usize::try_from(count).unwrap_or_default()).to_vec();
            self.tool().deallocate()(self.tool, list.cast());
            copy
        }
    }
}
