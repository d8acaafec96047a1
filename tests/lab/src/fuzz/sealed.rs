//! Sealing of records: only envelopes that were sealed can be opened, and only at their place. Also parsing of keys.

use std::{collections::HashSet, sync::LazyLock};

use osb_store::Keys;

fn seal(keys: &Keys, place: &[u8], plain: &[u8]) -> Result<Vec<u8>, String> {
    keys.seal(place, plain).map_err(|error| error.to_string())
}

fn open(keys: &Keys, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, String> {
    keys.open(place, sealed).map(|plain| plain.to_vec()).map_err(|error| error.to_string())
}

/// Both keys, newest first, and the older one alone.
static KEYS: LazyLock<[Keys; 2]> = LazyLock::new(|| {
    let newest = "746865206e6577657374206b6579206f66207468652066757a7a207465737473";
    let older = "dGhlIG9sZGVyIGtleSBvZiB0aGUgZnV6eiB0ZXN0cy4=";
    [format!("{newest} {older}"), older.to_owned()].map(|keys| keys.parse().expect("they are keys"))
});

/// A sealed record.
struct Sealed {
    place: &'static [u8],
    plain: &'static [u8],
    envelope: &'static [u8],
}

/// All that was ever sealed with the keys, but for what [`sealing`] does.
static SEALED: [Sealed; 3] = [
    Sealed {
        place: b"cf\0one\x01",
        plain: br#"{"plan_id":"small","parameters":{"token":"s3cr3t"}}"#,
        envelope: seed(include_bytes!("../../../fuzz/seeds/sealed/sealed-newest")),
    },
    Sealed {
        place: b"cf\0one\x01",
        plain: br#"{"plan_id":"large","parameters":{"token":"s3cr3t"}}"#,
        envelope: seed(include_bytes!("../../../fuzz/seeds/sealed/sealed-older")),
    },
    Sealed {
        place: b"cf\0two\x01",
        plain: b"",
        envelope: seed(include_bytes!("../../../fuzz/seeds/sealed/sealed-empty")),
    },
];

/// The envelope that a seed consists of, after the byte that says so.
const fn seed(data: &'static [u8]) -> &'static [u8] {
    match data {
        [0, envelope @ ..] => envelope,
        _ => panic!("it is no seed with an envelope"),
    }
}

/// The first byte is the kind of the rest: 0 an envelope, 1 changes to an envelope, 2 plain text to seal, 3 keys.
///
/// # Panics
///
/// If an invalid envelope can be opened, a valid one can't, or if an error contains a key.
pub fn sealed(data: &[u8]) {
    match data {
        [0, envelope @ ..] => {
            for Sealed { place, .. } in &SEALED {
                opening(place, envelope);
            }
        }
        [1, which, changes @ ..] => changing(&SEALED[usize::from(*which) % SEALED.len()], changes),
        [2, length, rest @ ..] => {
            let (place, plain) = rest.split_at(usize::from(*length).min(rest.len()));
            sealing(place, plain);
        }
        [3, text @ ..] => {
            if let Ok(text) = str::from_utf8(text) {
                reading(text);
            }
        }
        _ => {}
    }
}

/// Checks that only an envelope that was sealed at this place can be opened.
fn opening(place: &[u8], envelope: &[u8]) {
    let sealed = SEALED.iter().find(|sealed| sealed.place == place && sealed.envelope == envelope);
    let opened = open(&KEYS[0], place, envelope);
    assert_eq!(
        opened.as_deref().ok(),
        sealed.map(|sealed| sealed.plain),
        "{envelope:02x?} at {place:02x?}: {opened:?}"
    );
}

/// Changes an envelope or its place. Each change is a byte for its kind, two for the position, and a value.
fn changing(sealed: &Sealed, changes: &[u8]) {
    let mut envelope = sealed.envelope.to_vec();
    let mut place = sealed.place;
    for [what, high, low, value] in changes.as_chunks::<4>().0 {
        let at = usize::from(u16::from_be_bytes([*high, *low])) % (envelope.len() + 1);
        let other = &SEALED[usize::from(*value) % SEALED.len()];
        match what % 6 {
            0 => envelope.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= value),
            1 => envelope.truncate(at),
            2 => envelope.insert(at, *value),
            3 => drop(envelope.drain(at..(at + 1).min(envelope.len()))),
            4 => {
                envelope.truncate(at);
                envelope.extend(other.envelope.iter().skip(at));
            }
            _ => place = other.place,
        }
    }
    opening(place, &envelope);
}

/// Checks that the newest key is used for sealing.
fn sealing(place: &[u8], plain: &[u8]) {
    let [both, older] = &*KEYS;
    let envelope = seal(both, place, plain).expect("there are random numbers");
    assert_eq!(open(both, place, &envelope).as_deref(), Ok(plain));
    assert!(open(older, place, &envelope).is_err());
    assert!(open(both, &[place, b"\0"].concat(), &envelope).is_err());
    assert_ne!(seal(both, place, plain).as_deref(), Ok(&*envelope));
}

/// Checks that several keys are valid if each is valid and no two are the same.
fn reading(text: &str) {
    let words: Vec<_> = text.split_whitespace().collect();
    let ids: Option<Vec<_>> =
        words.iter().map(|word| word.parse::<Keys>().ok().map(|key| format!("{key:?}"))).collect();
    let good = ids.is_some_and(|ids| !ids.is_empty() && ids.iter().collect::<HashSet<_>>().len() == ids.len());
    let read = text.parse::<Keys>();
    assert_eq!(read.is_ok(), good, "{text:?}: {read:?}");

    let said = match read {
        Ok(keys) => format!("{keys:?}"),
        Err(error) => format!("{error} {error:?}"),
    };
    // No word in our messages is as long.
    let shown = words.iter().find(|word| word.len() > 24 && said.contains(**word));
    assert_eq!(shown, None, "{said}");
}
