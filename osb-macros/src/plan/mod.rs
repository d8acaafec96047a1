//! `#[plan]`: parse, validate, expand.

use proc_macro2::TokenStream;
use quote::quote;

mod asynchronous;
mod expand;
mod fallback;
mod maintenance;
mod narrow;
mod parse;
mod polling;
mod validate;

use self::{parse::RawPlan, validate::validate};
use crate::{errors::Report, item};

pub(crate) fn expand(mut args: TokenStream, mut tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(mut item) = item::parse_struct("plan", &mut args, &mut tokens, &mut report.errors) else {
        let errors = report.errors;
        return quote!(#tokens #errors);
    };
    item::refuse_generics("plan", &mut item, &mut tokens, &mut report.errors);
    let (runtime, raw) = RawPlan::parse(args, &mut report.errors);
    let expansion = match validate(raw, &item, runtime, &mut report) {
        Ok(plan) => plan.expand(),
        Err(plan) => plan.expand(),
    };
    item::output(&tokens, &item.attrs, &expansion, &report)
}
