//! Records in the database of a service binding of this process: `--store binding:NAME`.

use osb_binding::Bindings;

/// Returns the URL of the database of the binding with this name. `NAME?PARAMETERS` adds parameters to it.
pub(super) fn url(binding: &str) -> Result<String, String> {
    let (name, parameters) = binding.split_once('?').map_or((binding, None), |(name, more)| (name, Some(more)));
    let bindings = Bindings::from_env().map_err(|error| error.to_string())?;
    let found = bindings.name(name).map_err(|error| error.to_string())?;
    let url = found.bytes("uri").and_then(|uri| str::from_utf8(uri).ok()).unwrap_or_default().trim_end();
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(format!("the credentials of the binding `{name}` have no `uri` that begins with `postgres://`"));
    }
    Ok(match parameters {
        None => url.to_owned(),
        Some(more) => format!("{url}{}{more}", if url.contains('?') { '&' } else { '?' }),
    })
}
