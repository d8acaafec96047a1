//! Damages a closed file: the broker must never return wrong data, and never exit without an error.

use std::fs;

use osb_faults::{process::Serving, random::Random};

use crate::home::{Home, assert_there, create, create_in_the_end};

const INSTANCES: u32 = 12;
const TRIALS: u32 = 60;
/// Size of the file's header, in which every byte matters.
const HEAD: u32 = 320;

/// Flips a bit, changes a few bytes, or erases a sector.
fn damage(bytes: &mut [u8], random: &mut Random) -> String {
    let used: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != 0).collect();
    let at = if random.once_in(3) { random.below(HEAD) as usize } else { *random.pick(&used) };
    let (length, how) = *random.pick(&[(1, "one bit"), (64, "noise"), (512, "zeroes")]);
    let end = (at + length).min(bytes.len());
    for byte in &mut bytes[at..end] {
        match how {
            "one bit" => *byte ^= 1 << random.below(8),
            "noise" => *byte = random.below(256).to_le_bytes()[0],
            _ => *byte = 0,
        }
    }
    format!("{how} from {at} on")
}

#[test]
fn a_damaged_file_is_served_correctly_or_refused() {
    for killed in [false, true] {
        let home = Home::with_instances(INSTANCES, killed);
        let whole = fs::read(home.records()).expect("the file is read");
        let (mut random, mut refused) = (Random::new(7), 0);
        for trial in 0..TRIALS {
            let mut bytes = whole.clone();
            let how = damage(&mut bytes, &mut random);
            println!("killed: {killed}, trial {trial}: {how}");
            fs::write(home.records(), &bytes).expect("it can be written");
            match Serving::start(&mut home.command()) {
                // The damaged part was unused, or belonged to the last commit of a killed process, which then looks
                // unfinished and is rolled back.
                Ok(serving) => {
                    assert_there(serving.at, 0..if killed { INSTANCES - 1 } else { INSTANCES });
                    create_in_the_end(&serving, INSTANCES - 1);
                }
                Err(ended) => {
                    refused += 1;
                    assert_eq!(ended.status.code(), Some(1), "{}", ended.log);
                    // The version is among the bytes that can be damaged.
                    assert!(ended.log.has("it is damaged (") || ended.log.has("file format"), "{}", ended.log);
                }
            }
        }
        assert!(refused > TRIALS / 10, "hardly any damage was done: {refused}");
        fs::write(home.records(), &whole).expect("it can be written");
        let serving = home.start();
        assert_there(serving.at, 0..INSTANCES);
        assert_eq!(create(serving.at, INSTANCES).status, 201);
    }
}
