//! Values of Java as values of a state.

use crate::interface::{FieldId, Jvalue, Object};
use crate::machine::{Global, Jvm};
use traceward::Value;

/// What is needed to read references: strings are texts, enums are their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct References {
    string: Global,
    enumeration: Global,
    /// `Enum.name`, the field: reading it calls nothing.
    name: FieldId,
}

/// A reference to something that is no value of a state: the name of its class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoValue(pub(crate) String);

impl References {
    pub(crate) fn find(jvm: Jvm) -> Option<Self> {
        let string = jvm.find_class(c"java/lang/String")?;
        let enumeration = jvm.find_class(c"java/lang/Enum")?;
        let name = jvm.find_field(enumeration, c"name", c"Ljava/lang/String;")?;
        Some(Self { string: jvm.global(string), enumeration: jvm.global(enumeration), name })
    }

    /// A value of the type that the letter of a signature tells.
    #[inline]
    pub(crate) fn value(&self, jvm: Jvm, letter: u8, value: Jvalue) -> Result<Value, NoValue> {
        // SAFETY: the letter tells which member was written.
        unsafe {
            Ok(match letter {
                b'Z' => Value::Bool(value.z != 0),
                b'B' => Value::Int(value.b.into()),
                b'C' => Value::str(&String::from_utf16_lossy(&[value.c])),
                b'S' => Value::Int(value.s.into()),
                b'I' => Value::Int(value.i.into()),
                b'J' => Value::Int(value.j),
                b'F' => Value::float(value.f.into()),
                b'D' => Value::float(value.d),
                _ => return self.reference(jvm, value.l),
            })
        }
    }

    fn reference(&self, jvm: Jvm, object: Object) -> Result<Value, NoValue> {
        if object.is_null() {
            Ok(Value::Missing)
        } else if jvm.is_instance(object, self.string.object()) {
            Ok(Value::str(&jvm.string(object)))
        } else if jvm.is_instance(object, self.enumeration.object()) {
            Ok(Value::str(&jvm.string(jvm.object_field(object, self.name))))
        } else {
            Err(NoValue(jvm.class_name(jvm.class_of(object))))
        }
    }
}
