use super::*;
#[test]
fn dump() {
    let b = bounded(2048);
    for s in &b.series {
        println!("== {:?}", s.growth);
        for p in &s.points {
            println!("{} {:?} {:?} states {} exp {:?}", p.at, p.sublogic, p.measures, p.states, p.expanded_nodes);
            for c in &p.costs {
                println!(
                    "   {:<24} {:?} {:?} {:?} bound {}",
                    c.contender.name(),
                    c.measured.as_ref().and_then(|m| m.statistics),
                    c.measured.as_ref().map(|m| m.nanoseconds_per_state() as u64),
                    c.measured.as_ref().map(|m| m.time),
                    c.bound.map_or(String::new(), |b| b.to_string())
                );
            }
        }
    }
    for s in &b.sublogics {
        println!("{s:?} {} {}", s.space, s.time);
    }
}
