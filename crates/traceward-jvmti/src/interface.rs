//! The two interfaces of a Java virtual machine, as far as the agent calls them: tables of
//! functions by the numbers that `jvmti.h` and the JNI specification give them. A test compiles a C
//! program against the headers and compares the numbers (`tests/interface.rs`).

use std::ffi::{c_char, c_void};

/// Any object of Java: a reference that is valid on its thread until the callback returns.
pub type Object = *mut c_void;
/// A class, which is an object, too.
pub type Class = Object;
/// A thread, which is an object, too.
pub type Thread = Object;
/// What a function of JVMTI came to; 0 is success.
pub type Error = i32;
/// The environment of the tool interface.
pub type Tool = *mut *const ToolTable;
/// The environment of the native interface, one a thread.
pub type Native = *mut *const NativeTable;

/// A field. Of two classes' instance fields the numbers may be the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct FieldId(pub usize);

/// A method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct MethodId(pub usize);

/// `jvalue`: a value of any type of Java; which one, a signature tells.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Jvalue {
    /// `boolean`
    pub z: u8,
    /// `byte`
    pub b: i8,
    /// `char`
    pub c: u16,
    /// `short`
    pub s: i16,
    /// `int`
    pub i: i32,
    /// `long`
    pub j: i64,
    /// `float`
    pub f: f32,
    /// `double`
    pub d: f64,
    /// A reference.
    pub l: Object,
}

/// `jvmtiFrameInfo`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Frame {
    /// The method.
    pub method: MethodId,
    /// The place in its bytecode.
    pub location: i64,
}

/// `jvmtiLineNumberEntry`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LineEntry {
    /// The first place in the bytecode.
    pub start: i64,
    /// The line.
    pub line: i32,
}

/// A table of functions, with an accessor for each that is called.
macro_rules! table {
    ($(#[doc = $doc:literal])* $table:ident of $slots:literal from $first:literal on $environment:ty,
     $($number:literal $name:ident $c_name:literal ($($argument:ty),*) -> $result:ty;)*) => {
        $(#[doc = $doc])*
        #[repr(C)]
        pub struct $table {
            slots: [*const c_void; $slots],
        }

        impl $table {
            /// The functions by their names in C, with their slots in the table.
            pub const FUNCTIONS: &[(&str, usize)] = &[$(($c_name, $number - $first)),*];

            $(
                #[doc = concat!("`", $c_name, "`")]
                pub fn $name(&self) -> unsafe extern "system" fn($environment $(, $argument)*) -> $result {
                    // SAFETY: the slot of this number holds a function of this type.
                    unsafe { std::mem::transmute(self.slots[$number - $first]) }
                }
            )*
        }
    };
}

table!(
    /// The functions of JVMTI, which count from 1.
    ToolTable of 156 from 1 on Tool,
    2 set_event_notification_mode "SetEventNotificationMode" (i32, i32, Thread) -> Error;
    16 get_frame_count "GetFrameCount" (Thread, *mut i32) -> Error;
    20 notify_frame_pop "NotifyFramePop" (Thread, i32) -> Error;
    38 set_breakpoint "SetBreakpoint" (MethodId, i64) -> Error;
    43 set_field_modification_watch "SetFieldModificationWatch" (Class, FieldId) -> Error;
    47 deallocate "Deallocate" (*mut u8) -> Error;
    48 get_class_signature "GetClassSignature" (Class, *mut *mut c_char, *mut *mut c_char) -> Error;
    49 get_class_status "GetClassStatus" (Class, *mut i32) -> Error;
    50 get_source_file_name "GetSourceFileName" (Class, *mut *mut c_char) -> Error;
    52 get_class_methods "GetClassMethods" (Class, *mut i32, *mut *mut MethodId) -> Error;
    53 get_class_fields "GetClassFields" (Class, *mut i32, *mut *mut FieldId) -> Error;
    54 get_implemented_interfaces "GetImplementedInterfaces" (Class, *mut i32, *mut *mut Class) -> Error;
    60 get_field_name "GetFieldName" (Class, FieldId, *mut *mut c_char, *mut *mut c_char, *mut *mut c_char) -> Error;
    62 get_field_modifiers "GetFieldModifiers" (Class, FieldId, *mut i32) -> Error;
    64 get_method_name "GetMethodName" (MethodId, *mut *mut c_char, *mut *mut c_char, *mut *mut c_char) -> Error;
    65 get_method_declaring_class "GetMethodDeclaringClass" (MethodId, *mut Class) -> Error;
    66 get_method_modifiers "GetMethodModifiers" (MethodId, *mut i32) -> Error;
    70 get_line_number_table "GetLineNumberTable" (MethodId, *mut i32, *mut *mut LineEntry) -> Error;
    78 get_loaded_classes "GetLoadedClasses" (*mut i32, *mut *mut Class) -> Error;
    104 get_stack_trace "GetStackTrace" (Thread, i32, i32, *mut Frame, *mut i32) -> Error;
    106 get_tag "GetTag" (Object, *mut i64) -> Error;
    107 set_tag "SetTag" (Object, i64) -> Error;
    122 set_event_callbacks "SetEventCallbacks" (*const Callbacks, i32) -> Error;
    128 get_error_name "GetErrorName" (Error, *mut *mut c_char) -> Error;
    142 add_capabilities "AddCapabilities" (*const Capabilities) -> Error;
    147 get_environment_local_storage "GetEnvironmentLocalStorage" (*mut *mut c_void) -> Error;
    148 set_environment_local_storage "SetEnvironmentLocalStorage" (*const c_void) -> Error;
    155 get_local_instance "GetLocalInstance" (Thread, i32, *mut Object) -> Error;
);

table!(
    /// The functions of JNI, which count from 0.
    NativeTable of 229 from 0 on Native,
    6 find_class "FindClass" (*const c_char) -> Class;
    10 get_superclass "GetSuperclass" (Class) -> Class;
    11 is_assignable_from "IsAssignableFrom" (Class, Class) -> u8;
    17 exception_clear "ExceptionClear" () -> ();
    21 new_global_ref "NewGlobalRef" (Object) -> Object;
    23 delete_local_ref "DeleteLocalRef" (Object) -> ();
    24 is_same_object "IsSameObject" (Object, Object) -> u8;
    31 get_object_class "GetObjectClass" (Object) -> Class;
    32 is_instance_of "IsInstanceOf" (Object, Class) -> u8;
    33 get_method_id "GetMethodID" (Class, *const c_char, *const c_char) -> MethodId;
    36 call_object_method "CallObjectMethodA" (Object, MethodId, *const Jvalue) -> Object;
    94 get_field_id "GetFieldID" (Class, *const c_char, *const c_char) -> FieldId;
    95 get_object_field "GetObjectField" (Object, FieldId) -> Object;
    96 get_boolean_field "GetBooleanField" (Object, FieldId) -> u8;
    97 get_byte_field "GetByteField" (Object, FieldId) -> i8;
    98 get_char_field "GetCharField" (Object, FieldId) -> u16;
    99 get_short_field "GetShortField" (Object, FieldId) -> i16;
    100 get_int_field "GetIntField" (Object, FieldId) -> i32;
    101 get_long_field "GetLongField" (Object, FieldId) -> i64;
    102 get_float_field "GetFloatField" (Object, FieldId) -> f32;
    103 get_double_field "GetDoubleField" (Object, FieldId) -> f64;
    113 get_static_method_id "GetStaticMethodID" (Class, *const c_char, *const c_char) -> MethodId;
    116 call_static_object_method "CallStaticObjectMethodA" (Class, MethodId, *const Jvalue) -> Object;
    145 get_static_object_field "GetStaticObjectField" (Class, FieldId) -> Object;
    146 get_static_boolean_field "GetStaticBooleanField" (Class, FieldId) -> u8;
    147 get_static_byte_field "GetStaticByteField" (Class, FieldId) -> i8;
    148 get_static_char_field "GetStaticCharField" (Class, FieldId) -> u16;
    149 get_static_short_field "GetStaticShortField" (Class, FieldId) -> i16;
    150 get_static_int_field "GetStaticIntField" (Class, FieldId) -> i32;
    151 get_static_long_field "GetStaticLongField" (Class, FieldId) -> i64;
    152 get_static_float_field "GetStaticFloatField" (Class, FieldId) -> f32;
    153 get_static_double_field "GetStaticDoubleField" (Class, FieldId) -> f64;
    164 get_string_length "GetStringLength" (Object) -> i32;
    167 new_string "NewStringUTF" (*const c_char) -> Object;
    220 get_string_region "GetStringRegion" (Object, i32, i32, *mut u16) -> ();
    228 exception_check "ExceptionCheck" () -> u8;
);

/// The version of JVMTI that is asked for: 1.2, which every machine since Java 6 has.
pub const TOOL_VERSION: i32 = 0x3001_0200;

/// `JavaVM`, of which one function is called.
#[repr(C)]
pub struct MachineTable {
    reserved: [*const c_void; 6],
    /// `GetEnv`
    pub get_env: unsafe extern "system" fn(Machine, *mut *mut c_void, i32) -> i32,
    rest: [*const c_void; 1],
}

/// A virtual machine.
pub type Machine = *mut *const MachineTable;

/// Things a tool may ask to be able to, by their bits in `jvmtiCapabilities`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Capability {
    /// `can_tag_objects`
    TagObjects = 0,
    /// `can_generate_field_modification_events`
    FieldModification = 1,
    /// `can_get_source_file_name`
    SourceFileName = 11,
    /// `can_get_line_numbers`
    LineNumbers = 12,
    /// `can_access_local_variables`
    LocalVariables = 14,
    /// `can_generate_frame_pop_events`
    FramePop = 18,
    /// `can_generate_breakpoint_events`
    Breakpoint = 19,
    /// `can_generate_object_free_events`
    ObjectFree = 32,
}

impl Capability {
    /// Everything that the agent asks for, with the names in C.
    pub const ALL: [(Self, &str); 8] = [
        (Self::TagObjects, "can_tag_objects"),
        (Self::FieldModification, "can_generate_field_modification_events"),
        (Self::SourceFileName, "can_get_source_file_name"),
        (Self::LineNumbers, "can_get_line_numbers"),
        (Self::LocalVariables, "can_access_local_variables"),
        (Self::FramePop, "can_generate_frame_pop_events"),
        (Self::Breakpoint, "can_generate_breakpoint_events"),
        (Self::ObjectFree, "can_generate_object_free_events"),
    ];
}

/// `jvmtiCapabilities`
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct Capabilities([u32; 4]);

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(wanted: I) -> Self {
        let mut words = [0; 4];
        for capability in wanted {
            words[capability as usize / 32] |= 1 << (capability as usize % 32);
        }
        Self(words)
    }
}

/// Events of JVMTI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Event {
    /// `JVMTI_EVENT_VM_INIT`
    VmInit = 50,
    /// `JVMTI_EVENT_VM_DEATH`
    VmDeath = 51,
    /// `JVMTI_EVENT_CLASS_PREPARE`
    ClassPrepare = 56,
    /// `JVMTI_EVENT_FRAME_POP`
    FramePop = 61,
    /// `JVMTI_EVENT_BREAKPOINT`
    Breakpoint = 62,
    /// `JVMTI_EVENT_FIELD_MODIFICATION`
    FieldModification = 64,
    /// `JVMTI_EVENT_OBJECT_FREE`
    ObjectFree = 83,
}

/// `jvmtiEventCallbacks`, from event 50 on.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Callbacks {
    /// Event 50.
    pub vm_init: unsafe extern "system" fn(Tool, Native, Thread),
    /// Event 51.
    pub vm_death: unsafe extern "system" fn(Tool, Native),
    /// Events 52 to 55.
    pub unused_52: [*const c_void; 4],
    /// Event 56.
    pub class_prepare: unsafe extern "system" fn(Tool, Native, Thread, Class),
    /// Events 57 to 60.
    pub unused_57: [*const c_void; 4],
    /// Event 61.
    pub frame_pop: unsafe extern "system" fn(Tool, Native, Thread, MethodId, u8),
    /// Event 62.
    pub breakpoint: unsafe extern "system" fn(Tool, Native, Thread, MethodId, i64),
    /// Event 63.
    pub unused_63: [*const c_void; 1],
    /// Event 64.
    pub field_modification:
        unsafe extern "system" fn(Tool, Native, Thread, MethodId, i64, Class, Object, FieldId, c_char, Jvalue),
    /// Events 65 to 82.
    pub unused_65: [*const c_void; 18],
    /// Event 83.
    pub object_free: unsafe extern "system" fn(Tool, i64),
    /// Events 84 to 86.
    pub unused_84: [*const c_void; 3],
}
