//! Arguments, types and mistakes that no case in `tests/ui` has: the messages, and parts of the code.

use proc_macro2::{Spacing, TokenStream, TokenTree};

use super::expand;

/// Expands the attribute at the beginning of an item; a description follows it.
fn expansion(source: &str) -> TokenStream {
    let source = source.replace("ID", "id = \"8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02\", name = \"p\"");
    let mut tokens = source.parse::<TokenStream>().expect("tokens").into_iter().skip(1);
    let Some(TokenTree::Group(attribute)) = tokens.next() else { panic!("an attribute begins {source}") };
    let mut attribute = attribute.stream().into_iter();
    let name = attribute.next().expect("the name of the attribute").to_string();
    let args = match attribute.next() {
        Some(TokenTree::Group(args)) => args.stream(),
        _ => TokenStream::new(),
    };
    let about: TokenStream = "/// Described.\n".parse().expect("a comment");
    expand(&name, args, about.into_iter().chain(tokens).collect())
}

/// Returns the messages in the code, in their order.
fn messages(code: TokenStream, found: &mut Vec<String>) {
    let mut is_error = false;
    for token in code {
        match token {
            TokenTree::Ident(name) => is_error = name == "compile_error",
            TokenTree::Group(group) if is_error => {
                found.push(syn::parse2::<syn::LitStr>(group.stream()).expect("a message").value());
                is_error = false;
            }
            TokenTree::Group(group) => messages(group.stream(), found),
            _ => {}
        }
    }
}

/// Checks the messages about an item.
fn is_explained(source: &str, expected: &str) {
    let mut found = Vec::new();
    messages(expansion(source), &mut found);
    // Some items have no id, which is another mistake.
    found.retain(|message| !message.contains("` needs an id"));
    assert_eq!(found.join("\n"), expected, "{source}");
}

#[test]
fn rare_mistakes_are_explained() {
    for (source, expected) in [
        ("#[plan(ID, !rotatable)] struct P;", "an argument is not negated\nhelp: write `rotatable = false`"),
        (
            "#[plan(ID, free = false, metadata(costs((\"amount\" = 9.90, unit = \"MONTHLY\"))))] struct P;",
            "expected `currency = amount` or `unit = \"...\"`\nhelp: write `costs((usd = 9.90, unit = \"MONTHLY\"), ...)`",
        ),
        (
            "#[plan(ID, create = C, narrow(copies(one_of(1..4))))] struct P;",
            "`one_of` lists whole numbers\nhelp: write `copies(min = 1, exclusive_max = 4)`",
        ),
        ("#[plan(ID, description())] struct P;", "`description` is a string: `description = \"...\"`"),
        (
            "#[plan(open, bindable)] struct P;",
            "`#[plan]` has no argument `open`\nhelp: it belongs in the `#[parameters(...)]` of a type that the plan names",
        ),
        (
            "#[service(free, changes(A => B))] struct P;",
            "`#[service]` has no argument `free`\nhelp: it is a plan's: `#[plan(..., free = false)]`",
        ),
        (
            "#[parameters] struct P { #[param(default = { \"a\": 1, \"b\": 2, \"a\": 3 })] x: Inner }",
            "the key \"a\" is given twice",
        ),
        (
            "#[parameters] struct P { x: &'static [&'static str] }",
            "a reference cannot be used in parameters, which own their values\nhelp: own the value: `Vec<String>`",
        ),
        (
            "#[parameters] struct P { #[param(length(max = 4294967296))] x: String }",
            "a length must be a whole number that is not negative\nhelp: write 0 or more, up to 4294967295",
        ),
        (
            "#[parameters] struct P { #[param(pattern = \"^a$\", default = \"a\\n\")] x: String }",
            "the default of `x` does not match the pattern `^a$`",
        ),
        (
            "#[parameters] #[derive(Clone)] #[derive(Serialize)] struct P { x: u8 }",
            "the attribute already implements `Serialize`\nhelp: leave `Serialize` out of the derives",
        ),
        (
            "#[parameters(tag = \"kind\")] enum P { A { x: u8, #[check] y: u8 } }",
            "`#[check]` has no meaning here\nhelp: constraints, defaults and names are `#[param(...)]` of a field",
        ),
        (
            "#[parameters] #[derive(Default)] struct P { #[check] x: u8 }",
            "`#[check]` has no meaning here\nhelp: constraints, defaults and names are `#[param(...)]` of a field",
        ),
        (
            "#[parameters] struct P { x: Vec<(Option<u8>)> }",
            "an element of a list cannot be absent, and `null` is refused in parameters\nhelp: write the type without `Option`",
        ),
        (
            "#[parameters] struct P { x: i128 }",
            "`i128` cannot be used in parameters: JSON parsers read numbers of 64 bits at most\nhelp: use `i64`, or a `String` with a pattern",
        ),
        (
            "#[parameters] struct P { x: std::ffi::OsString }",
            "`OsString` cannot be used in parameters: a path on the broker's machine means nothing to the user\nhelp: use `String`",
        ),
        (
            "#[parameters] struct P(Option<u8>);",
            "a newtype of an `Option` would hide that a property may be absent\nhelp: make the field that has this type an `Option`",
        ),
        (
            "#[parameters] struct P { #[param(default = HashSet::new())] x: HashSet<u8> }",
            "expected a JSON value or the name of a constant\nhelp: write `default = []`",
        ),
        (
            "#[plan(ID, create = New, narrow(x(0.5)))] struct P;",
            "the bounds of `x` have names\nhelp: write `x(max = 0.5)`",
        ),
        (
            "#[plan(ID, create = New, narrow(x(length(max = 3))))] struct P;",
            "`narrow(x(...))` has no argument `length`\nhelp: write its bounds here: `x(max = 3)`",
        ),
        (
            "#[service(ID, plans(\"free\", #[cfg(a)] Pro))] struct P;",
            "`plans` takes a list of types\nhelp: write `plans(Free, Pro)`, each a struct with `#[plan(...)]`\n\
             `#[cfg]` has no effect inside another attribute\nhelp: write the outer one twice, as `#[cfg_attr(a, ...)]` and as \
             `#[cfg_attr(not(a), ...)]`",
        ),
        (
            "#[parameters] struct P { #[param(default = eu)] x: Region }",
            "only the default of an integer, a `bool` or a `String` can be the name of a constant\nhelp: write `default = \"eu\"`",
        ),
        (
            "#[parameters] struct P { #[param(default = Region::EU)] x: Region }",
            "only the default of an integer, a `bool` or a `String` can be the name of a constant\nhelp: write the value as JSON, for an \
             enum the string on the wire",
        ),
        (
            "#[service(ID, plans(A))] struct P { x: HashMap<u8, std::cell::RefCell<u8>> }",
            "handlers run in parallel, so a service has to be `Sync`, and `std::cell::RefCell<u8>` isn't\nhelp: use `std::sync::Mutex`, \
             `std::sync::RwLock` or an atomic",
        ),
    ] {
        is_explained(source, expected);
    }
}

#[test]
fn mistakes_in_arguments_are_explained_without_a_wrong_proposal() {
    for (source, expected) in [
        (
            "#[plan(ID, metadata(\"displayName\": small-plan))] struct P;",
            "`displayName` has a typed argument\nhelp: write `display_name = ...`",
        ),
        (
            "#[plan(ID, metadata(\"bullets\" \"10 MB\"))] struct P;",
            "`bullets` has a typed argument\nhelp: write `bullets(\"...\", \"...\")`",
        ),
        (
            "#[plan(ID, free = false, metadata(costs((\"usd\" = \"9.90\", unit = \"MONTHLY\"))))] struct P;",
            "expected `currency = amount` or `unit = \"...\"`\nhelp: write `costs((usd = 9.90, unit = \"MONTHLY\"), ...)`",
        ),
        (
            "#[plan(ID, create = C, narrow = ())] struct P;",
            "`narrow` takes a list\nhelp: write `narrow(property(max = 20))` with a property of the type in `create`",
        ),
        (
            "#[parameters] struct C { #[param(one_of(1, 5..=9))] copies: u8 }",
            "`one_of` lists whole numbers\nhelp: list each number of the range",
        ),
        (
            "#[parameters] struct P { #[param(one_of = [])] x: u8 }",
            "`one_of` takes a list of whole numbers\nhelp: write `one_of(1, 3)`",
        ),
        (
            "#[parameters] struct P { #[param(pattern(\"a\", \"b\"))] x: String }",
            "`pattern` is a string: `pattern = \"...\"`",
        ),
        (
            "#[parameters] struct P { #[param(default = (X + 1))] x: u8 }",
            "expected a JSON value or the name of a constant\nhelp: move the expression into a constant, and write its name",
        ),
        (
            "#[parameters] struct P { #[param(one_of(A | B))] x: u8 }",
            "`one_of` lists whole numbers\nhelp: write commas between the values",
        ),
        (
            "#[plan(ID, extensions(\"region\" = eu-west))] struct P;",
            "a JSON member takes `:`, not `=`\nhelp: write `\"region\": \"eu-west\"`",
        ),
        (
            "#[plan(ID, extensions(region: europe/west))] struct P;",
            "the name of a JSON member is a string\nhelp: write `\"region\": \"europe/west\"`",
        ),
        ("#[plan(id = 1 + 2, name = \"p\")] struct P;", "`id` is a string: `id = \"...\"`"),
        ("#[plan(ID, free = Pro)] struct P;", "`free` is a flag: `free`, `free = true` or `free = false`"),
        (
            "#[plan(ID, metadata(display-name = \"x\"))] struct P;",
            "expected `=`, `(` or `,` after `display`\nhelp: write `display_name`: names have underscores",
        ),
        (
            "#[plan(ID, metadata(costs: (1) + (2)))] struct P;",
            "`costs` takes a list\nhelp: write `costs((usd = 9.90, unit = \"MONTHLY\"), ...)`",
        ),
        (
            "#[plan(ID, metadata(\"sizes\": [\"a\" = 1]))] struct P;",
            "expected `,`\nhelp: write the members of an object in braces: `{ \"name\": value }`",
        ),
        (
            "#[service(ID, plans(A), metadata(shareable: true))] struct P;",
            "an argument takes `=`, not `:`\nhelp: write `shareable = true`",
        ),
        (
            "#[service(ID, plans(A), tags = \"sql, big data\")] struct P;",
            "`tags` is a list of strings: `tags(\"...\", \"...\")`\nhelp: write `tags(\"sql, big data\")`",
        ),
        (
            "#[plan(ID, create = New, narrow(x(min = 1), y(min = 1), x(max = 2)))] struct P;",
            "`x` is given twice\nhelp: put its bounds together: `x(min = .., max = ..)`",
        ),
    ] {
        is_explained(source, expected);
    }
}

#[test]
fn some_items_have_no_mistake() {
    for source in [
        // Of another crate.
        "#[plan(ID)] #[garden::plan] struct P;",
        // Only one of the two fields exists.
        "#[parameters] struct P { #[cfg(a)] #[param(alias = \"z\")] x: u8, #[cfg(b)] #[param(alias = \"z\")] y: u8 }",
        "#[parameters] struct P { #[cfg(a)] #[param(alias = \"y\")] x: u8, #[cfg(b)] y: u8 }",
    ] {
        is_explained(source, "");
    }
}

#[test]
fn the_json_of_a_maintenance_version_has_2000_characters_at_most() {
    for (about, characters) in [
        ("x".repeat(1964), None),
        ("x".repeat(1965), Some(2001)),
        ("x".to_owned() + &"\u{2028}".repeat(329), Some(2011)),
    ] {
        let info = format!("maintenance_info(version = \"1.0.0\", description = \"{about}\")");
        let mut found = Vec::new();
        messages(expansion(&format!("#[plan(ID, {info})] struct P;")), &mut found);
        let expected = characters.map(|number| format!("`maintenance_info` has {number} characters of JSON\n"));
        assert_eq!(found.len(), expected.iter().len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(message, expected)| message.starts_with(&expected)), "{found:?}");
    }
}

#[test]
fn rare_arguments_are_written() {
    for (source, expected, unexpected) in [
        // Only one mistake is reported, also where the type is used without arguments.
        ("#[plan(ID)] struct P<const C: char>;", "< const C : char = { ' ' } >", "none"),
        ("#[plan(ID)] struct P<const B: bool>;", "< const B : bool = { false } >", "none"),
        // The compiler reports two fields of one name itself.
        ("#[parameters] struct P { #[cfg(a)] x: u8, #[cfg(b)] x: u16 }", "__LIST_WITHOUT_RECURSION", "check_distinct"),
        // serde has one default for a field.
        (
            "#[parameters(tag = \"kind\")] enum P { A { #[param(default = {})] x: Option<Other> } }",
            "default = \"P :: __absent_0\"",
            ", default ,",
        ),
        (
            "#[parameters(tag = \"kind\")] #[derive(Debug)] enum P { r#type { #[param(secret)] x: String } }",
            "\"type\"",
            "\"r#type\"",
        ),
        (
            "#[parameters] struct P { #[param(secret, title = \"T\")] x: String, #[param(secret)] y: String }",
            "T\\\"\")) , __p :: None) . secret ()",
            "none",
        ),
        (
            "#[parameters(partial = C)] struct P { #[param(update_only)] new_password: String }",
            "secret_is_shown",
            "none",
        ),
        (
            "#[parameters(partial = C)] struct P { #[param(update_only)] #[deprecated] x: bool }",
            "# [allow (deprecated)] const _ : () = {",
            "none",
        ),
        (
            "#[parameters(partial = C)] #[derive(Debug)] struct P { #[param(update_only, secret)] x: String }",
            "Debug for P {",
            "none",
        ),
        // The standard types of a creation say nothing about a property that it doesn't have.
        (
            "#[parameters(partial = C)] struct P { y: u8, #[param(update_only, range(min = 1))] x: u8 }",
            "check_rule",
            "if ! __STANDARD {",
        ),
        // It is not merged, so that it needs no partial type.
        ("#[parameters(partial = C)] struct P { #[param(update_only)] x: Backup }", "struct C", "IS_KNOWN"),
        // An implementation of the author's would be a second one.
        ("#[parameters(open)] enum P { A, B }", "fn as_str", "none"),
        ("#[parameters(open)] enum P { A, B { x: u8 } }", "compile_error", "fn as_str"),
        ("#[parameters(tag = \"kind\", closed)] enum P { A, B }", "compile_error", "fn as_str"),
        // A default that surely fits has its document at once; the compiler checks the others.
        ("#[parameters] struct P { #[param(multiple_of = 2, default = 4)] x: u8 }", "__STANDARD", "check_literal"),
        ("#[parameters] struct P { #[param(multiple_of = 2, default = 3)] x: u8 }", "check_literal", "__STANDARD"),
        (
            "#[parameters] struct P { #[param(length(max = 2), default = \"éé\")] x: String }",
            "__STANDARD",
            "check_literal",
        ),
    ] {
        let code = expansion(source).to_string();
        assert!(code.contains(expected) && !code.contains(unexpected), "{source}: {code}");
    }
    let without = expansion("#[parameters] struct P { x: Vec<u8> }").to_string();
    for flag in ["immutable = false", "unique = false"] {
        let code = expansion(&format!("#[parameters] struct P {{ #[param({flag})] x: Vec<u8> }}"));
        assert_eq!(code.to_string(), without, "{flag}");
    }
}

/// Returns the names of the fields of a struct in the code, which may have a mistake.
fn fields(code: &TokenStream, name: &str) -> Vec<String> {
    let tokens: Vec<_> = code.clone().into_iter().collect();
    let is = |at: usize, word: &str| matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == word);
    let begins = (1..tokens.len()).find(|at| is(at - 1, "struct") && is(*at, name)).expect("the struct");
    let Some(TokenTree::Group(body)) = tokens[begins..].iter().find(|token| matches!(token, TokenTree::Group(_)))
    else {
        panic!("{name} has no fields in {code}");
    };
    let body: Vec<_> = body.stream().into_iter().collect();
    // The first colon in a path is joined with the second.
    let names = body.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(name), TokenTree::Punct(colon)]
            if colon.as_char() == ':' && colon.spacing() == Spacing::Alone =>
        {
            Some(name.to_string())
        }
        _ => None,
    });
    names.collect()
}

#[test]
fn a_type_has_no_field_of_updates_alone_although_it_has_a_mistake() {
    // Without a mistake, with one in a field, and half-typed.
    for other in ["y: u8", "#[param(defualt = 3)] y: u8", "y: ,"] {
        for (argument, is_in_type) in [
            ("", true),
            ("#[param(update_only)]", false),
            ("#[param(update_only = true)]", false),
            ("#[param(update_only = false)]", true),
            ("#[param(update_onyl)]", false),
            ("#[parameters(update_only)]", false),
        ] {
            let code =
                expansion(&format!("#[parameters(partial = Changes)] struct P {{ {argument} x: bool, {other} }}"));
            let has = |name| fields(&code, name).contains(&"x".to_owned());
            assert_eq!([has("P"), has("Changes")], [is_in_type, true], "{argument} {other}: {code}");
        }
    }
}

#[test]
fn derives_changes_and_old_applications_are_considered() {
    for (source, expected) in [
        ("#[parameters(partial = C)] #[derive(Clone, PartialEq)] struct P { x: u8 }", "Default , Clone , PartialEq)"),
        ("#[service(ID, plans(A, B), changes(A => B, B => A))] struct P;", "< __IfHandled < B >> (true)"),
        // An application may be older than the broker.
        ("#[credentials] struct P { x: u8 }", "const OPEN : __p :: bool = true"),
    ] {
        let code = expansion(source).to_string();
        assert!(code.contains(expected), "{source}: {code}");
    }
}

#[test]
fn debug_output_of_an_update_has_all_of_its_fields() {
    let code = expansion(
        "#[parameters(partial = C)] #[derive(Debug)] struct P { #[param(secret)] x: String, #[param(update_only)] y: u8 }",
    );
    let code = code.to_string();
    let of_update = code.split("Debug for C").nth(1).expect("an implementation");
    assert!(["\"x\"", "\"y\""].iter().all(|name| of_update.contains(name)), "{code}");
}
