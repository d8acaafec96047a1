//! `narrow(property(max = 20), ...)`: narrower bounds of a plan for the parameters of its type.
//!
//! The runtime decides in constants whether the bounds fit the type. Values that aren't numbers, lists within a property, and
//! bounds without their names are decided here, because only the tokens have them.

use darling::FromMeta;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Lit, Meta,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

use crate::{
    args::{
        ArgumentList, Arguments, Bound, Given, Hint, NumberRule, Numbers, arguments, as_written, exclusive_max,
        named_bounds, range, span, split_at_commas, wrong,
    },
    code,
    errors::Errors,
    spans::preserve_spans,
};

const EXAMPLE: &str = "write `narrow(property(max = 20))` with a property of the type in `create`";

arguments! {
    /// The bounds of one property in `narrow(...)`.
    pub(super) struct RawBounds {
        /// `min = ..` | The smallest value; the smallest number of characters, elements or entries.
        min: Given<Bound>,
        /// `max = ..` | The largest one.
        max: Given<Bound>,
        /// `exclusive_min = ..` | The exclusive lower bound.
        exclusive_min: Given<Bound>,
        /// `exclusive_max = ..` | The exclusive upper bound.
        exclusive_max: Given<Bound>,
        /// `multiple_of = ..` | Every value is a multiple of this number.
        multiple_of: Given<Bound>,
        /// `one_of(.., ..)` | The only values of a whole number, in place of bounds.
        one_of: Given<Numbers>,
    }
}

const HINTS: &[Hint] = &[
    ("range", "write its bounds here: `property(min = 1, max = 20)`"),
    ("length", "write its bounds here: `property(min = 1, max = 20)`"),
    ("min_exclusive", "write `exclusive_min` and `exclusive_max`"),
    ("max_exclusive", "write `exclusive_min` and `exclusive_max`"),
    ("default", "the default is that of the type, which the bounds have to allow"),
    ("pattern", "the pattern is that of the type; a plan has narrower bounds only"),
    ("items", "the elements are those of the type; `min` and `max` are the number of elements"),
];

/// The value of `narrow(...)`: each property with its arguments.
pub(super) struct RawNarrow(Vec<(Ident, TokenStream)>);

impl FromMeta for RawNarrow {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::List(list) = meta else {
            let given = meta.require_name_value().ok().map(|pair| pair.value.to_token_stream());
            let properties = given.and_then(|value| syn::parse2::<proc_macro2::Group>(value).ok());
            let properties = properties.filter(|list| !list.stream().is_empty());
            let help =
                properties.map_or_else(|| EXAMPLE.to_owned(), |list| format!("write `narrow({})`", list.stream()));
            return Err(wrong(meta, "`narrow` takes a list", help));
        };
        let mut errors = darling::Error::accumulator();
        let properties = split_at_commas(list.tokens.clone());
        if properties.is_empty() {
            errors.push(wrong(meta, "`narrow` needs arguments", EXAMPLE));
        }
        let property = |input: ParseStream<'_>| {
            let name = Ident::parse_any(input)?;
            let bounds;
            syn::parenthesized!(bounds in input);
            Ok((name, bounds.parse()?))
        };
        let read = |piece: TokenStream| {
            property.parse2(piece.clone()).map_err(|_| {
                let help = meant(&piece).map_or_else(|| EXAMPLE.to_owned(), |meant| format!("write `narrow({meant})`"));
                wrong(&piece, "this is not a property with bounds", help)
            })
        };
        let properties = properties.into_iter().filter_map(|piece| errors.handle(read(piece))).collect();
        errors.finish_with(Self(properties))
    }
}

/// Returns the property that `limit = 20`, `limit <= 20` and `"limit"(max = 20)` probably mean.
fn meant(written: &TokenStream) -> Option<String> {
    let quoted = |input: ParseStream<'_>| {
        let (name, bounds): (syn::LitStr, proc_macro2::Group) = (input.parse()?, input.parse()?);
        Ok(format!("{}({})", name.value(), bounds.stream()))
    };
    let pair = |pair: syn::MetaNameValue| {
        let number = matches!(&pair.value, syn::Expr::Lit(value) if matches!(value.lit, Lit::Int(_) | Lit::Float(_)));
        number.then(|| format!("{}(max = {})", pair.path.to_token_stream(), pair.value.to_token_stream()))
    };
    let compared = |comparison: syn::ExprBinary| {
        let end = match comparison.op {
            syn::BinOp::Le(_) => "max",
            syn::BinOp::Lt(_) => "exclusive_max",
            syn::BinOp::Ge(_) => "min",
            syn::BinOp::Gt(_) => "exclusive_min",
            _ => return None,
        };
        let is_name = matches!(&*comparison.left, syn::Expr::Path(path) if path.path.get_ident().is_some());
        let [name, bound] = [&comparison.left, &comparison.right].map(as_written);
        is_name.then(|| format!("{name}({end} = {bound})"))
    };
    let written = || written.clone();
    let quoted = quoted.parse2(written()).ok().or_else(|| syn::parse2(written()).ok().and_then(pair));
    quoted.or_else(|| syn::parse2(written()).ok().and_then(compared))
}

/// The narrower bounds of a plan, and the argument's name.
pub(super) struct Narrow(Vec<Property>, syn::Path);

struct Property {
    name: Ident,
    rules: Vec<NumberRule>,
}

/// Returns the value in `"eu"` or `one_of("eu", ..)`, unless it is a number.
fn chosen(tokens: &TokenStream) -> Option<Lit> {
    let listed = |input: ParseStream<'_>| {
        let list: syn::MetaList = input.parse()?;
        input.parse::<TokenStream>()?;
        if !list.path.is_ident("one_of") {
            return Err(input.error("another list"));
        }
        syn::parse2(list.tokens.into_iter().take(1).collect())
    };
    let value = syn::parse2(tokens.clone()).or_else(|_| listed.parse2(tokens.clone())).ok()?;
    (!matches!(value, Lit::Int(_) | Lit::Float(_))).then_some(value)
}

/// Returns the name in `name(...)`, unless it is a word of `#[param]`.
fn nested(tokens: &TokenStream) -> Option<Ident> {
    let list = |input: ParseStream<'_>| {
        let name = Ident::parse_any(input)?;
        let inner;
        syn::parenthesized!(inner in input);
        inner.parse::<TokenStream>()?;
        input.parse::<TokenStream>()?;
        Ok(name)
    };
    let name = list.parse2(tokens.clone()).ok()?;
    (!HINTS.iter().any(|(word, _)| name == word) && !RawBounds::NAMES.iter().any(|word| name == word)).then_some(name)
}

/// Returns the bounds in `one_of(1-3)` with their names.
fn span_of_one_of(list: &syn::MetaList) -> Option<String> {
    if list.path.is_ident("one_of") { span(&list.tokens, exclusive_max) } else { None }
}

/// The name as properties are found by it: a field's name, or the name on the wire.
fn folded(name: &Ident) -> String {
    name.unraw().to_string().replace('_', "").to_lowercase()
}

/// Reports values, properties of a property, and bounds without names, in place of the bounds of a property. Returns whether it has
/// reported one.
fn refuse_other_forms(name: &Ident, tokens: &TokenStream, errors: &mut Errors) -> bool {
    if let Some(value) = chosen(tokens) {
        let help =
            "write a type of its own for the plan's parameters; `narrow` gives numbers and lengths narrower bounds";
        errors.help(value, format_args!("`narrow` can't choose among the values of `{name}`"), help);
    } else if let Some(inner) = nested(tokens) {
        let (message, help) = match &*name.to_string() {
            "create" | "update" => (
                "`narrow` is about the properties of `create`, and the same ones of `update`".to_owned(),
                format!("write `narrow({inner}(max = 20))`"),
            ),
            _ => (
                format!("`narrow` can't reach into `{name}`"),
                "it takes the properties of the type in `create`: write another type for this plan".to_owned(),
            ),
        };
        errors.help(&inner, message, help);
    } else if let Some(named) = syn::parse2(tokens.clone()).ok().and_then(|list| span_of_one_of(&list)) {
        errors.help(tokens, "`one_of` lists whole numbers", format_args!("write `{name}({named})`"));
    } else if let Some(named) = named_bounds(tokens, exclusive_max) {
        let message = format_args!("the bounds of `{name}` have names");
        errors.help(tokens, message, format_args!("write `{name}({named})`"));
    } else if let Ok(list) = syn::parse2::<syn::MetaList>(tokens.clone())
        && ["range", "length"].iter().any(|word| list.path.is_ident(word))
    {
        let message = format_args!("`narrow({name}(...))` has no argument `{}`", list.path.to_token_stream());
        errors.help(&list.path, message, format_args!("write its bounds here: `{name}({})`", list.tokens));
    } else {
        return false;
    }
    true
}

impl Property {
    fn validate(name: Ident, tokens: TokenStream, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut arguments = Arguments::parse(tokens, errors);
        let RawBounds { min, max, exclusive_min, exclusive_max, multiple_of, one_of } = arguments.take();
        arguments.finish(&format!("`narrow({name}(...))`"), HINTS, errors);
        let mut rules = range([min, exclusive_min], [max, exclusive_max], errors);
        rules.extend(multiple_of.take(errors).map(NumberRule::MultipleOf));
        if let Some((numbers, meta)) = one_of.take_with_place(errors) {
            if !rules.is_empty() {
                let help = "leave out the other bounds, and list the values that fit";
                errors.help(&meta, "`one_of` lists all values", help);
            }
            rules.push(NumberRule::OneOf(numbers));
        }
        if rules.is_empty() && errors.count() == before {
            errors.help(&name, format_args!("`{name}` has no bounds"), format_args!("write `{name}(max = ..)`"));
        }
        Self { name, rules }
    }
}

impl Narrow {
    pub(super) fn validate(given: Given<RawNarrow>, has_create: bool, errors: &mut Errors) -> Option<Self> {
        let (RawNarrow(raw), meta) = given.take_with_place(errors)?;
        if !has_create {
            errors.help(
                meta.path(),
                "`narrow` is about the parameters of `create`, which the plan does not have",
                "write `create = Type`",
            );
        }
        let mut properties: Vec<Property> = Vec::new();
        for (name, tokens) in raw {
            if refuse_other_forms(&name, &tokens, errors) {
                continue;
            }
            let property = Property::validate(name, tokens, errors);
            let name = &property.name;
            if let Some(other) = properties.iter().find(|other| folded(&other.name) == folded(name)) {
                let as_what = if other.name == *name { String::new() } else { format!(", first as `{}`", other.name) };
                let help = format_args!("put its bounds together: `{name}(min = .., max = ..)`");
                errors.help(name, format_args!("`{name}` is given twice{as_what}"), help);
            }
            properties.push(property);
        }
        Some(Self(properties, meta.path().clone()))
    }

    /// Writes the constants `__CREATE` and `__UPDATE`, the narrower schemas, with their documents and checks.
    pub(super) fn constants(&self, plan: &str, of_plan: &TokenStream, p: &TokenStream) -> TokenStream {
        let narrowings = self.0.iter().map(|Property { name, rules }| {
            let name = name.unraw().to_string();
            let rules = rules.iter().map(|rule| rule.tokens(p));
            quote!(#p::Narrowing { property: #name, rules: &[#(#rules),*] })
        });
        let schema = |name: &str, index: usize, of: TokenStream| {
            let (name, json) = (format_ident!("__{name}"), format_ident!("__{name}_JSON"));
            quote! {
                const #name: #p::Schema = {
                    const COUNT: #p::core::primitive::usize = #p::property_count(__SCHEMAS[#index]);
                    #p::with_properties(__SCHEMAS[#index], &#p::narrowed::<COUNT>(__SCHEMAS[#index], __NARROW, #p::Narrowed::#of))
                };
                const #json: &[#p::u8] = {
                    const DRAFT: #p::Draft = #p::Draft::of(&#name);
                    &#p::render::<{ DRAFT.size() }>(&DRAFT, &#name)
                };
            }
        };
        let (create, update) = (schema("CREATE", 1, quote!(Create)), schema("UPDATE", 0, quote!(Update(__BASE))));
        let checks = self.checks(plan, of_plan, p);
        quote! {
            const __SCHEMAS: [&#p::Schema; 2] = #of_plan::UPDATE_AND_CREATE;
            // Named, because clippy takes a `1` at the span of `0.5` for an octal number.
            const __BASE: &#p::Schema = __SCHEMAS[1];
            const __NARROW: &[#p::Narrowing] = &[#(#narrowings),*];
            #create
            #update
            #checks
        }
    }

    /// Writes the checks of each property, of each of its bounds, and of the sizes of the documents.
    fn checks(&self, plan: &str, of_plan: &TokenStream, p: &TokenStream) -> TokenStream {
        // At the span of `0.25`, clippy would take it for an octal number.
        let index = |index| preserve_spans(&Literal::usize_suffixed(index));
        let is_known = quote!(<#of_plan::Create as #p::ParametersTrait>::IS_KNOWN);
        let of_properties = self.0.iter().enumerate().flat_map(|(at, Property { name, rules })| {
            let at = index(at);
            let narrowing = quote!(#p::check_narrowing(#plan, __BASE, &__CREATE, &__NARROW[#at]));
            let once = quote!(#p::check_narrowed_once(__BASE, __NARROW, #at));
            let whole = code::check_if(&is_known, name, quote!({ #narrowing; #once }));
            let rules = rules.iter().enumerate().map(move |(number, rule)| {
                let number = index(number);
                code::check(rule, quote!(#p::check_narrowing_rule(__BASE, &__NARROW[#at], #number)))
            });
            std::iter::once(whole).chain(rules).collect::<Vec<_>>()
        });
        let sizes = ["Create", "Update"].map(|of| {
            let (of, json) = (format_ident!("{of}"), format_ident!("__{}_JSON", of.to_uppercase()));
            let of_type = quote!(<#of_plan::#of as #p::ParametersTrait>::JSON);
            code::check(&self.1, quote!(#p::check_narrowed_size(#of_type, #json, #plan)))
        });
        of_properties.chain(sizes).collect()
    }

    /// Writes the constants of the plan that stand for its parameter types.
    pub(super) fn of_plan(p: &TokenStream) -> TokenStream {
        quote! {
            const CREATE_SCHEMA: &'static #p::Schema = &__CREATE;
            const CREATE_JSON: &'static [#p::u8] = __CREATE_JSON;
            const UPDATE_SCHEMA: &'static #p::Schema = &__UPDATE;
            const UPDATE_JSON: &'static [#p::u8] = __UPDATE_JSON;
        }
    }
}
