use base64::{Engine, prelude::*};
use proptest::{collection::vec, prelude::*, sample::Index};

use super::{HEAD, InvalidKeys, KeyId, Keys, SealError, TAG, key_of};

const OLD: [u8; 32] = *b"thirty-two bytes, one of them: o";
const NEW: [u8; 32] = *b"thirty-two bytes, one of them: n";

/// Any key that is not refused.
fn any_key() -> impl Strategy<Value = [u8; 32]> {
    any::<[u8; 32]>().prop_filter("it is the same byte 32 times", |key| key.iter().any(|byte| *byte != key[0]))
}

/// Several different keys.
fn any_keys(most: usize) -> impl Strategy<Value = Vec<[u8; 32]>> {
    prop::collection::hash_set(any_key(), 1..=most).prop_map(|keys| keys.into_iter().collect())
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..200)
}

/// The text formats of keys.
const ENCODINGS: [fn(&[u8; 32]) -> String; 6] = [
    |key| hex(key),
    |key| hex(key).to_uppercase(),
    |key| BASE64_STANDARD.encode(key),
    |key| BASE64_STANDARD_NO_PAD.encode(key),
    |key| BASE64_URL_SAFE.encode(key),
    |key| BASE64_URL_SAFE_NO_PAD.encode(key),
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("two digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

fn keys<'a>(keys: impl IntoIterator<Item = &'a [u8; 32]>) -> Keys {
    let words: Vec<_> = keys.into_iter().map(|key| hex(key)).collect();
    words.join("\n").parse().expect("they are keys")
}

fn refused(keys: &Keys, place: &[u8], sealed: &[u8]) -> SealError {
    keys.open(place, sealed).expect_err("the envelope is invalid")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn opening_returns_the_sealed_bytes(ring in any_keys(4), place in any_bytes(), plain in any_bytes()) {
        let keys = keys(&ring);
        let sealed = keys.seal(&place, &plain).expect("it is sealed");
        prop_assert_eq!(key_of(&sealed), Some(keys.newest()));
        prop_assert_eq!(&*keys.open(&place, &sealed).expect("it opens"), &plain);
        prop_assert_eq!(sealed.len(), HEAD + plain.len() + TAG);
    }

    #[test]
    fn any_keys_that_include_the_sealing_key_open_it(
        ring in any_keys(5).prop_shuffle(), at in any::<Index>(), plain in any_bytes(),
    ) {
        let sealing = at.get(&ring);
        let sealed = keys([sealing]).seal(b"p", &plain).expect("it is sealed");
        prop_assert_eq!(&*keys(&ring).open(b"p", &sealed).expect("it opens"), &plain);
        let without: Vec<_> = ring.iter().filter(|key| *key != sealing).collect();
        if !without.is_empty() {
            let error = refused(&keys(without), b"p", &sealed);
            prop_assert_eq!(&error, &SealError::UnknownKey(KeyId::of(sealing)));
            prop_assert!(error.to_string().contains(&KeyId::of(sealing).to_string()), "{}", error);
        }
    }

    #[test]
    fn sealing_twice_gives_different_envelopes(key in any_key(), place in any_bytes(), plain in any_bytes()) {
        let keys = keys([&key]);
        let [one, other] = [(); 2].map(|()| keys.seal(&place, &plain).expect("it is sealed"));
        prop_assert_ne!(&one[1 + 8..HEAD], &other[1 + 8..HEAD], "the nonces");
        prop_assert_ne!(&one[HEAD..], &other[HEAD..]);
    }

    #[test]
    fn the_envelope_contains_no_plain_text(key in any_key(), plain in vec(any::<u8>(), 8..200)) {
        let sealed = keys([&key]).seal(&plain, &plain).expect("it is sealed");
        for part in plain.windows(8) {
            prop_assert!(!sealed.windows(8).any(|window| window == part));
        }
    }

    #[test]
    fn an_envelope_does_not_open_at_another_place(
        ring in any_keys(2), place in any_bytes(), other in any_bytes(), plain in any_bytes(), cut in any::<Index>(),
    ) {
        let keys = keys(&ring);
        let sealed = keys.seal(&place, &plain).expect("it is sealed");
        let cut = &place[..cut.index(place.len() + 1)];
        for other in [&other, cut, &[&place[..], b"\0"].concat()] {
            if other != &place[..] {
                prop_assert_eq!(refused(&keys, other, &sealed), SealError::Tampered);
            }
        }
    }

    #[test]
    fn an_envelope_with_the_id_of_another_key_does_not_open(ring in any_keys(2), plain in any_bytes()) {
        prop_assume!(ring.len() == 2);
        let keys = keys(&ring);
        let mut sealed = keys.seal(b"p", &plain).expect("it is sealed");
        sealed[1..=8].copy_from_slice(&KeyId::of(&ring[1]).0);
        prop_assert_eq!(refused(&keys, b"p", &sealed), SealError::Tampered);
    }

    #[test]
    fn a_mixture_of_two_envelopes_does_not_open(key in any_key(), plain in vec(any::<u8>(), 40), cut in 0..HEAD + 40 + TAG) {
        let keys = keys([&key]);
        let [one, other] = [(); 2].map(|()| keys.seal(b"p", &plain).expect("it is sealed"));
        let mixture = [&one[..cut], &other[cut..]].concat();
        prop_assume!(mixture != one && mixture != other);
        prop_assert_eq!(refused(&keys, b"p", &mixture), SealError::Tampered);
    }

    #[test]
    fn bytes_that_were_not_sealed_do_not_open(key in any_key(), bytes in vec(any::<u8>(), 0..200), head in 0..HEAD) {
        let keys = keys([&key]);
        prop_assert!(keys.open(b"p", &bytes).is_err());
        // A forger can copy the head of another record.
        let seen = keys.seal(b"p", b"").expect("it is sealed");
        prop_assert!(keys.open(b"p", &[&seen[..head], &bytes].concat()).is_err());
    }

    #[test]
    fn keys_parse_from_each_text_format(
        ring in any_keys(4), encodings in vec(any::<Index>(), 4), space in vec("[ \t\r\n]{1,3}", 5),
    ) {
        let mut text = space[4].clone();
        for ((key, encoding), space) in ring.iter().zip(encodings).zip(&space) {
            text.push_str(&encoding.get(&ENCODINGS)(key));
            text.push_str(space);
        }
        let read: Keys = text.parse().expect("they are keys");
        prop_assert!(read.ids().eq(ring.iter().map(KeyId::of)));
        prop_assert_eq!(read.newest(), KeyId::of(&ring[0]));
    }

    #[test]
    fn a_key_that_is_too_short_or_too_long_is_refused(
        bytes in vec(any::<u8>(), 1..70).prop_filter("it is as long as a key", |bytes| bytes.len() != 32),
    ) {
        let written = [hex(&bytes), BASE64_STANDARD.encode(&bytes), BASE64_URL_SAFE_NO_PAD.encode(&bytes)];
        for word in written {
            prop_assert!(word.parse::<Keys>().is_err(), "{} characters", word.len());
        }
    }

    #[test]
    fn neither_errors_nor_debug_show_a_key(ring in any_keys(3), encoding in any::<Index>(), wrong in any::<Index>()) {
        let mut words: Vec<String> = ring.iter().map(encoding.get(&ENCODINGS)).collect();
        let keys: Keys = words.join(" ").parse().expect("they are keys");
        let mut shown = vec![format!("{keys:?}")];
        for flaw in ["!", "0", "é"] {
            let at = wrong.index(words.len());
            let before = words[at].clone();
            words[at].insert_str(before.len() / 2, flaw);
            let error = words.join(" ").parse::<Keys>().expect_err("one is wrong");
            let said = error.to_string();
            prop_assert!(said.starts_with(&format!("key {} has ", at + 1)), "{said}");
            shown.extend([said, format!("{error:?}")]);
            words[at] = before;
        }
        for text in shown {
            for secret in &words {
                prop_assert!(!secret.as_bytes().windows(12).any(|part| text.as_bytes().windows(12).any(|seen| seen == part)));
            }
        }
    }
}

#[test]
fn an_envelope_with_a_flipped_bit_does_not_open() {
    let keys = keys([&OLD]);
    let sealed = keys.seal(b"place", b"sixteen bytes...").expect("it is sealed");
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let expected = match bit / 8 {
            0 => SealError::Malformed,
            1..=8 => SealError::UnknownKey(key_of(&changed).expect("it has an id")),
            _ => SealError::Tampered,
        };
        assert_eq!(refused(&keys, b"place", &changed), expected, "bit {bit}");
    }
}

#[test]
fn a_truncated_envelope_does_not_open() {
    let keys = keys([&OLD]);
    let sealed = keys.seal(b"place", b"sixteen bytes...").expect("it is sealed");
    for length in 0..sealed.len() {
        let (expected, key) = if length < HEAD + TAG {
            (SealError::Malformed, None)
        } else {
            (SealError::Tampered, Some(KeyId::of(&OLD)))
        };
        assert_eq!(refused(&keys, b"place", &sealed[..length]), expected, "{length} bytes");
        assert_eq!(key_of(&sealed[..length]), key, "{length} bytes");
        assert!(keys.open(b"place", &sealed[sealed.len() - length..]).is_err(), "the last {length} bytes");
    }
}

#[test]
fn an_envelope_with_added_bytes_does_not_open() {
    let keys = keys([&OLD]);
    let sealed = keys.seal(b"place", b"plain").expect("it is sealed");
    for more in [&b"\0"[..], b"place", b"plain", &sealed] {
        assert_eq!(refused(&keys, b"place", &[&sealed, more].concat()), SealError::Tampered);
        assert!(keys.open(b"place", &[more, &sealed].concat()).is_err());
    }
}

/// The envelope was made by another implementation of XChaCha20-Poly1305.
#[test]
fn an_envelope_of_the_first_release_opens() {
    let key = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    let place = b"cf\0a1b2\x01";
    let plain = br#"{"service_id":"kv","parameters":{"token":"t0p-s3cr3t"}}"#;
    let sealed = "81\
        607ee9eac1e8c42f\
        0102030405060708090a0b0c0d0e0f101112131415161718\
        3f34f115b6bac9b1e57758fe9b4ac4c625be4206ec8d2fefdb5cb99c10c5c7c518b01e16901a50208c6579bac375dc2d1f7e9f98097359\
        724aaf18feed5180cfdd9c1cfba01691";
    let keys: Keys = key.parse().expect("it is a key");
    assert_eq!(&**keys.open(place, &unhex(sealed)).expect("it opens"), plain);
    assert_eq!(keys.newest().to_string(), "607ee9eac1e8c42f");
    assert_eq!(format!("{keys:?}"), "[607ee9eac1e8c42f]");
}

#[test]
fn errors_about_keys_name_the_reason_and_the_remedy() {
    let [old, new] = [hex(&OLD), hex(&NEW)];
    let cases = [
        (" \n".to_owned(), "there is no key: `openssl rand -hex 32` generates one"),
        (
            format!("{old}\n{}\n", &new[1..]),
            "key 2 has 63 characters, and is neither 64 hexadecimal digits nor 32 bytes in base64, which are 43 \
             characters, or 44 with padding: `openssl rand -hex 32` generates a key",
        ),
        (
            "0".repeat(64),
            "key 1 is the same byte 32 times, which is easy to guess: `openssl rand -hex 32` generates a random key",
        ),
        (format!("{old} {new} {}", BASE64_STANDARD.encode(OLD)), "key 3 is the same as key 1: remove one of the two"),
    ];
    for (text, expected) in cases {
        let said = text.parse::<Keys>().map_err(|error: InvalidKeys| error.to_string());
        assert_eq!(said.expect_err("they can't be used"), expected);
    }
}

/// The last character encodes bits beyond the 32 bytes. If they are not zero, the key was mistyped.
#[test]
fn base64_with_surplus_bits_is_refused() {
    let written = BASE64_STANDARD_NO_PAD.encode(NEW);
    let (rest, last) = written.split_at(written.len() - 1);
    let kept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".chars();
    let kept: Vec<_> = kept.filter(|last| format!("{rest}{last}").parse::<Keys>().is_ok()).collect();
    assert_eq!(kept.len(), 16);
    assert!(kept.contains(&last.chars().next().expect("there is one")));
}
