//! Tests the quoting without a server.

use crate::sql::{
    Name,
    Value::{Fixed, Ident, Number, Text},
    sql,
};

const ID: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn values_are_quoted_and_their_placeholders_stay() {
    let name = Name::new(ID).expect("the id of an operation");
    let values = [Ident(&name), Text(r"$1'; \'"), Fixed("a\"b-c"), Number(-1)];
    let quoted = [&format!("\"osb_{ID}\""), r" E'$1''; \\'''", "\"a\"\"b-c\"", "-1"];
    assert_eq!(sql("$1, $2, $3, $4, $1;", &values), format!("{}, {};", quoted.join(", "), quoted[0]));
}

#[test]
fn only_ids_of_operations_become_names() {
    assert!(serde_json::from_value::<Name>(format!("osb_{ID}").into()).is_ok());
    for wrong in ["", "x", "osb_", "osb_\"; DROP DATABASE postgres; --", &ID.to_uppercase(), &format!("{ID}0"), ID] {
        assert!(serde_json::from_value::<Name>(wrong.into()).is_err(), "{wrong}");
        assert!(wrong == ID || Name::new(wrong).is_err(), "{wrong}");
    }
}
