//! Names of clients, no two of them alike.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The names that clients have had. None is given twice, so that a name tells one trace.
#[derive(Debug, Default)]
pub struct Names(Mutex<Given>);

#[derive(Debug, Default)]
struct Given {
    names: HashSet<String>,
    /// How often each name was asked for.
    asked: HashMap<String, u64>,
}

impl Names {
    /// A name like the one that is asked for: `mux`, then `mux#2`.
    pub fn unique(&self, asked: &str) -> String {
        let Given { names, asked: counts } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(asked.to_owned()).or_default();
        loop {
            *count += 1;
            let name = if *count == 1 { asked.to_owned() } else { format!("{asked}#{count}") };
            if names.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        let names = Names::default();
        let given: Vec<String> = ["mux", "mux", "mux#2", "mux", "mux#2", "x"].map(|name| names.unique(name)).into();
        assert_eq!(given, ["mux", "mux#2", "mux#2#2", "mux#3", "mux#2#3", "x"]);
    }
}
