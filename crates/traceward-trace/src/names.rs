//! Names the user may have meant.

/// How many names to suggest.
const SUGGESTIONS: usize = 3;

/// The candidates a mistyped name may have meant, best first, at most three.
///
/// A candidate is near if few letters differ (case aside), or if it is a longer path that ends in the name.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let limit = wanted.chars().count() / 3 + 1;
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(&wanted, &candidate.to_lowercase(), limit)?, candidate)))
        .collect();
    // A stable sort: equally near names keep the order of the input.
    ranked.sort_by_key(|&(distance, _)| distance);
    ranked.into_iter().take(SUGGESTIONS).map(|(_, candidate)| candidate).collect()
}

/// `a`, `b` or `c`, for messages.
pub(crate) fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn distance(wanted: &str, candidate: &str, limit: usize) -> Option<usize> {
    let is_path_to_it = candidate.strip_suffix(wanted).is_some_and(|path| path.ends_with('.'));
    if is_path_to_it {
        return Some(1);
    }
    // Lengths that differ by more than the limit cannot be near, and edit distance is quadratic.
    if wanted.len().abs_diff(candidate.len()) > 4 * limit {
        return None;
    }
    let distance = strsim::osa_distance(wanted, candidate);
    (distance <= limit).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_best_first() {
        assert_eq!(nearest("grnat", ["request", "grants", "grant"]), ["grant", "grants"]);
        assert_eq!(nearest("case id", ["Case ID", "Activity"]), ["Case ID"]);
        assert_eq!(nearest("term", ["event.state.term", "msg", "event.term"]), ["event.state.term", "event.term"]);
        assert!(nearest("x", ["completely", "different"]).is_empty());
    }
}
