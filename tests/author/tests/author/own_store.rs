//! Records in a store of the program's own, `--store box://DIRECTORY`.

use std::{fs, path::Path, process::Command};

use crate::world::{Serving, bare, fails, home, prints, ran, shelf};

const KEYS: [&str; 2] = [
    "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea",
    "1c7b3d9e5f2a48604e1d8c3b7a9f5e206d4c8b1a3f7e9d5c2b6a0f8e4d1c7b93",
];

/// Builds a command that works on the records in a directory.
fn in_box(home: &Path, args: &[&str], directory: &Path) -> Command {
    let mut command = shelf(home, args);
    command.env("OSB_STORE_KEYS", KEYS[0]).args(["--store", &format!("box://{}", directory.display())]);
    command
}

async fn serve_one_instance(home: &Path, directory: &Path) {
    let mut serving = Serving::of(in_box(home, &[], directory));
    assert!(serving.banner.contains("in `box`, encrypted"), "{}", serving.banner);
    assert_eq!(serving.provision("one").await.status, 201);
    serving.stop(home);
}

#[tokio::test]
async fn the_commands_for_operators_find_the_records() {
    let (home, directory) = (home(), home());
    serve_one_instance(home.path(), directory.path()).await;
    assert!(directory.path().join("shelf").exists(), "it has the name of the program");

    let run = |args: &[&str]| ran(in_box(home.path(), args, directory.path()));
    prints(run(&["instances"]), "one");
    let (code, out, err) = run(&["usage"]);
    assert!(code == 0 && out.starts_with("1 of 80 cm in"), "{out}{err}");
    prints(run(&["export"]), "\"instance_id\":\"one\"");
    let copy = home.path().join("copy.redb").display().to_string();
    let url = format!("box://{}", directory.path().display());
    let (code, out, err) =
        ran(shelf(&home, &["records", "copy", "--from", &url, "--to", &copy, "--store-keys", KEYS[0]]));
    assert!(code == 0 && out.contains("copied 1 instance"), "{out}{err}");

    let run_with = |keys: &str, args: &[&str]| {
        let mut command = in_box(home.path(), args, directory.path());
        command.env("OSB_STORE_KEYS", keys);
        ran(command)
    };
    let (code, out, err) = run_with(&format!("{} {}", KEYS[1], KEYS[0]), &["reseal"]);
    assert!(code == 0 && out.starts_with("1 record in `box` encrypted with key "), "{out}{err}");
    fails(run(&["instances"]), 1, "the records in `box` can't be opened: ");
    let (code, out, err) = run_with(KEYS[1], &["purge", "one", "--yes"]);
    assert!(code == 0 && out == "purge: done\n", "{out}{err}");
}

#[test]
fn commands_that_need_records_create_none() {
    let (home, directory) = (home(), home());
    for args in
        [&["operations"] as &[_], &["purge", "one", "--yes"], &["abandon", "one", "--yes"], &["export"], &["usage"]]
    {
        let (code, out, err) = ran(in_box(home.path(), args, directory.path()));
        assert!(code == 2 && err.contains("the records in `box` can't be opened: there is no such box"), "{out}{err}");
    }
    assert!(!directory.path().join("shelf").exists());
}

#[test]
fn commands_that_cannot_write_to_it_say_so() {
    let (home, directory) = (home(), home());
    let refused = "this command can't write records to `box`, a store of the program's own";
    fs::write(home.path().join("lines"), "").expect("written");
    fails(ran(in_box(home.path(), &["import", "lines"], directory.path())), 2, refused);

    drop(osb_store::Redb::open(home.path().join("from.redb"), None).expect("created"));
    let url = format!("box://{}", directory.path().display());
    fails(ran(shelf(&home, &["records", "copy", "--from", "from.redb", "--to", &url])), 2, refused);
}

#[test]
fn only_its_scheme_is_accepted() {
    let home = home();
    let err = fails(
        ran(bare(&home, &["instances", "--store", "crate://u:secret@h"])),
        2,
        "`postgres://…` in lower case and without quotes, `box://…`, `binding:NAME` or `memory`",
    );
    assert!(!err.contains("secret"), "{err}");
    let (_, out, _) = ran(bare(&home, &["instances", "--help"]));
    assert!(out.split_whitespace().collect::<Vec<_>>().join(" ").contains("[also: box://…]"), "{out}");
}

#[test]
fn a_url_without_slashes_is_not_the_name_of_a_file() {
    let home = home();
    let message = "write the name of a file, `postgres://…` in lower case and without quotes, `box://…`, ";
    // An address of another machine: if it opened the file, it would end there.
    let serve: &[_] = &["serve", "--listen", "203.0.113.1:80", "--store", "box:records"];
    for args in [serve, &["instances", "--store", "box:/records"]] {
        fails(ran(shelf(&home, args)), 2, message);
    }
    assert!(!home.path().join("box:records").exists());
}
