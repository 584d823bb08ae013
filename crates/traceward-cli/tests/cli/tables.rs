//! Tables as people have them. Those in `testdata/tables` were written by Polars:
//! `t,request,grant,n,where.host`, four rows, `grant` and `n` missing in one each.

use crate::common::{Folder, Output};

const PARQUET: &[u8] = include_bytes!("../../../../testdata/tables/requests.parquet");
const FORMS: [(&str, &[u8]); 3] = [
    ("requests.parquet", PARQUET),
    ("requests.arrow", include_bytes!("../../../../testdata/tables/requests.arrow")),
    ("requests.arrows", include_bytes!("../../../../testdata/tables/requests.arrows")),
];

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (name, bytes) in FORMS {
        folder.write(name, bytes);
    }
    folder
}

#[test]
fn tables_are_checked_and_name_their_rows() {
    let folder = folder("tables-checked");
    for (name, bytes) in FORMS {
        let asked = ["check", "-e", "G(request -> F grant)", "-e", "F[0,1s] n == 2", "--time", "t", "--format", "json"];
        for (path, input) in [(name, &b""[..]), ("-", bytes)] {
            let output = folder.run(&[&asked[..], &[path]].concat(), input);
            let answer = output.json();
            assert_eq!(output.status, 1, "{name}: {}", output.stderr);
            assert_eq!(answer["trace"]["states"], 4, "{answer}");
            assert_eq!(answer["trace"]["line_unit"], "row", "{answer}");
            let properties = &answer["properties"];
            assert_eq!(properties[0]["verdict"], "violated", "{answer}");
            assert_eq!(properties[0]["violations"]["states"][0]["line"], 3, "{answer}");
            assert_eq!(properties[1]["verdict"], "satisfied", "{answer}");
        }
        let text = folder.run(&["check", "-e", "G request", name], b"").stdout;
        assert!(text.starts_with(&format!("{name}: 4 states; a line is a row of the table\n")), "{text}");
        let by_key = folder.run(&["query", "-e", "count(request)", "--by", "where.host", name], b"");
        assert!(
            by_key.status == 0 && by_key.stdout.starts_with(&format!("{name}: 4 states in 2 keys")),
            "{}",
            by_key.stdout
        );
    }
}

#[test]
fn tables_are_inspected() {
    let folder = folder("tables-inspected");
    for (name, format) in [("requests.parquet", "parquet"), ("requests.arrow", "arrow"), ("requests.arrows", "arrow")] {
        let answer =
            folder.run(&["inspect", name, "--time", "t", "--by", "where.host", "--format", "json"], b"").json();
        assert_eq!(
            (&answer["format"], &answer["states"], &answer["keys"]),
            (&format.into(), &4.into(), &2.into()),
            "{answer}"
        );
        let columns: Vec<String> = answer["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .map(|column| {
                format!("{} {}", column["name"].as_str().unwrap_or("?"), column["type"].as_str().unwrap_or("?"))
            })
            .collect();
        assert_eq!(columns, ["t text", "request bool", "grant bool", "n int", "where.host text"]);
    }
}

fn fails(output: &Output, message: &str) {
    assert_eq!(output.status, 2, "{}", output.stdout);
    assert!(output.stderr.contains(message), "{}", output.stderr);
}

#[test]
fn what_is_wrong_with_a_table_names_its_row_and_its_column() {
    let folder = folder("tables-wrong");
    let asked = |arguments: &[&str]| folder.run(arguments, b"");
    fails(
        &asked(&["check", "-e", "G n", "requests.parquet"]),
        "requests.parquet: row 2: `n` is used as a boolean, but here it is `2`",
    );
    fails(
        &asked(&["check", "-e", "G n > 0", "--missing", "error", "requests.arrow"]),
        "requests.arrow: row 3: `n` has no value",
    );
    fails(&asked(&["check", "-e", "G where", "requests.arrows"]), "`where` is an object, not a single value");
    fails(
        &asked(&["check", "-e", "G request", "--time", "u", "requests.parquet"]),
        "there is no `u`, which was named as the time column",
    );
    folder.write("cut.parquet", &PARQUET[..PARQUET.len() / 2]).write("text.parquet", "a,b\n1,2\n");
    fails(
        &asked(&["check", "-e", "G request", "cut.parquet"]),
        "cut.parquet: the Parquet table is damaged or cut short",
    );
    fails(&asked(&["inspect", "text.parquet"]), "text.parquet: the Parquet table is damaged or cut short");
    fails(&folder.run(&["monitor", "-e", "G request"], PARQUET), "this is a Parquet table, which cannot be followed");
}
