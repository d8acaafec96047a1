//! Runs a durable key-value service and its broker: `cargo run -p kv-broker` needs nothing else.

use std::{
    error::Error,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use kv_broker::{
    data_plane,
    import::Imports,
    service::{Broker, Kv},
    stores::Stores,
};
use osb_tool::clap;
use tokio::net::TcpListener;

/// The author's settings: the data directory and the addresses of the data plane.
#[derive(Debug, clap::Args)]
struct Config {
    /// Directory for the data, created if it does not exist; put files to import into its subdirectory `import`
    #[arg(long, env = "KV_DATA", value_name = "DIR", default_value = "kv-data")]
    data: PathBuf,

    /// Address at which applications reach the stores
    #[arg(long, env = "KV_DATA_LISTEN", value_name = "HOST:PORT", default_value = "127.0.0.1:8081")]
    data_listen: String,

    /// URL of that address as applications see it, for credentials and dashboards [default: http://, then --data-listen]
    #[arg(long, env = "KV_DATA_URL", value_name = "URL", value_parser = url)]
    data_url: Option<String>,
}

fn main() -> ExitCode {
    osb_tool::run(async |config: Config| open(config).await)
}

/// Opens the stores, and starts to serve them.
async fn open(config: Config) -> Result<Broker, Box<dyn Error + Send + Sync>> {
    let listener = TcpListener::bind(&config.data_listen).await.map_err(|error| {
        let help = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "another program listens there; stop it, or use another --data-listen (KV_DATA_LISTEN)"
            }
            _ => "use another --data-listen (KV_DATA_LISTEN), such as 127.0.0.1:8081",
        };
        format!("cannot serve the stores at {}: {error}\n  {help}", config.data_listen)
    })?;
    let at = listener.local_addr()?;
    let url = config.data_url.map_or_else(|| default_url(at), Ok)?;
    let (file, imports) = (config.data.join("kv.redb"), config.data.join("import"));
    let stores = tokio::task::spawn_blocking(move || {
        let cannot_open = |path: &Path, error: &dyn Error| {
            format!("cannot open {}: {error}\n  the directory of the stores is set by --data (KV_DATA)", path.display())
        };
        create_directory(&imports).map_err(|error| cannot_open(&imports, &error))?;
        Stores::open(&file).map_err(|error| match error {
            redb::Error::DatabaseAlreadyOpen => {
                format!(
                    "{} is open in another process\n  stop that process, or use another --data (KV_DATA)",
                    file.display()
                )
            }
            error => cannot_open(&file, &error),
        })
    });
    let stores = stores.await??;
    tokio::spawn(stores.clone().keep_swept());
    tokio::spawn(data_plane::serve(listener, stores.clone(), data_plane::MAX_CONNECTIONS));
    tracing::info!(%at, url, data = %config.data.display(), "serving the stores");
    Ok(Broker { kv: Kv::new(stores, Imports::new(config.data.join("import")), url) })
}

/// Creates a directory and its parents, without access for other users, because values are stored unencrypted.
fn create_directory(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

fn default_url(at: SocketAddr) -> Result<String, String> {
    if at.ip().is_unspecified() {
        return Err(format!(
            "the stores are served at every address of this machine ({at})\n  set --data-url (KV_DATA_URL) to the URL for applications"
        ));
    }
    Ok(format!("http://{at}"))
}

/// Parses a URL to which paths can be appended.
fn url(text: &str) -> Result<String, String> {
    let good = text.parse::<http::Uri>().ok().filter(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.query().is_none()
            && uri.host().is_some_and(|host| !host.is_empty())
    });
    match good {
        Some(_) if !text.contains('#') => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("write http://HOST:PORT or https://HOST, optionally with a path".to_owned()),
    }
}
