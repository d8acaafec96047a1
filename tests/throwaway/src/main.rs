//! Starts a throw-away PostgreSQL to try things out with. It ends with this program.

use osb_throwaway_postgres::Server;

fn main() -> ! {
    let server = Server::start();
    println!("export POSTGRES_URL={}", server.url());
    loop {
        std::thread::park();
    }
}
