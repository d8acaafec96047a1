//! What there really is, for whoever holds it against what the broker says.

use std::collections::BTreeMap;

use redb::{Error, ReadableDatabase, ReadableTable};

use super::{ENTRIES, STORES, Store, Stores, TOKENS, decode, tenancy::Token};

/// Everything in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// The stores, by id.
    pub stores: BTreeMap<String, StoreInfo>,
    /// The tokens, by id.
    pub tokens: BTreeMap<String, TokenInfo>,
    /// How many entries there are of stores that are gone: more than none only while such a store is being removed.
    pub orphans: u64,
}

/// A store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInfo {
    /// The id of the instance that it is.
    pub instance: String,
    /// The name of its plan.
    pub plan: String,
    /// The most bytes of keys and values.
    pub quota: u64,
    /// Seconds after which a key expires.
    pub ttl: u32,
    /// How many keys there are, counted now.
    pub entries: u64,
    /// How many bytes keys and values have, counted now.
    pub bytes: u64,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// The id of the binding that it is.
    pub binding: String,
    /// The store that it is good for.
    pub store: String,
    /// Whether it is good for reading only.
    pub read_only: bool,
}

impl Inventory {
    /// How many things there are in all.
    pub fn len(&self) -> usize {
        let entries = self.stores.values().map(|store| store.entries).sum::<u64>() + self.orphans;
        self.stores.len() + self.tokens.len() + usize::try_from(entries).unwrap_or(usize::MAX)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Stores {
    /// Everything in the file, read from beginning to end.
    ///
    /// # Errors
    ///
    /// If the file can't be read, or what is kept of a store is not what is in it.
    pub fn inventory(&self) -> Result<Inventory, Error> {
        let file = self.file.begin_read()?;
        let mut all = Inventory::default();
        let mut kept = BTreeMap::new();
        for row in file.open_table(STORES)?.iter()? {
            let (id, row) = row?;
            let Store { owner, terms, entries, bytes, .. } = decode(row.value())?;
            kept.insert(id.value().to_owned(), (entries, bytes));
            let counted = StoreInfo {
                instance: owner.instance,
                plan: terms.plan,
                quota: terms.quota,
                ttl: terms.ttl,
                entries: 0,
                bytes: 0,
            };
            all.stores.insert(id.value().to_owned(), counted);
        }
        for entry in file.open_table(ENTRIES)?.iter()? {
            let (at, entry) = entry?;
            let ((store, key), (_, bytes, _)) = (at.value(), entry.value());
            match all.stores.get_mut(store) {
                Some(store) => {
                    store.entries += 1;
                    store.bytes += key.len() as u64 + bytes;
                }
                None => all.orphans += 1,
            }
        }
        for (id, store) in &all.stores {
            if kept.get(id) != Some(&(store.entries, store.bytes)) {
                return Err(Error::Corrupted(format!("store {id} is said to have {:?}: {store:?}", kept.get(id))));
            }
        }
        for row in file.open_table(TOKENS)?.iter()? {
            let (at, row) = row?;
            let (store, id) = at.value();
            let Token { binding, read_only, .. } = decode(row.value())?;
            all.tokens.insert(id.to_owned(), TokenInfo { binding, store: store.to_owned(), read_only });
        }
        Ok(all)
    }
}
