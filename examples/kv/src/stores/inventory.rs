//! The contents of the file, for comparison with the broker's records.

use std::collections::BTreeMap;

use redb::{Error, ReadTransaction, ReadableTable};

use super::{ENTRIES, STORES, Store, Stores, TOKENS, decode, tenancy::Token};

/// Everything in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// The stores, by id.
    pub stores: BTreeMap<String, StoreInfo>,
    /// The tokens, by id.
    pub tokens: BTreeMap<String, TokenInfo>,
    /// Number of entries of deleted stores; zero, except while a store is being deleted.
    pub orphans: u64,
}

/// A store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInfo {
    /// The id of its instance.
    pub instance: String,
    /// The name of its plan.
    pub plan: String,
    /// Maximum number of bytes in keys and values.
    pub quota: u64,
    /// Seconds after which a key expires.
    pub ttl: u32,
    /// Number of keys, as counted.
    pub entries: u64,
    /// Number of bytes in keys and values, as counted.
    pub bytes: u64,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// The id of its binding.
    pub binding: String,
    /// The store that it grants access to.
    pub store: String,
    /// `true` if the token is read-only.
    pub read_only: bool,
}

impl Inventory {
    /// Returns the total number of stores, tokens and entries.
    pub fn len(&self) -> usize {
        let entries = self.stores.values().map(|store| store.entries).sum::<u64>() + self.orphans;
        self.stores.len() + self.tokens.len() + usize::try_from(entries).unwrap_or(usize::MAX)
    }

    /// Returns whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Stores {
    /// Reads the whole file.
    ///
    /// # Errors
    ///
    /// If the file can't be read, or the statistics of a store are wrong.
    pub fn inventory(&self) -> Result<Inventory, Error> {
        self.file.read(inventory)
    }
}

fn inventory(file: &ReadTransaction) -> Result<Inventory, Error> {
    let mut all = Inventory::default();
    let mut statistics = BTreeMap::new();
    for row in file.open_table(STORES)?.iter()? {
        let (id, row) = row?;
        let Store { owner, terms, entries, bytes, .. } = decode(row.value())?;
        statistics.insert(id.value().to_owned(), (entries, bytes));
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
        if statistics.get(id) != Some(&(store.entries, store.bytes)) {
            return Err(Error::Corrupted(format!(
                "the statistics of store {id} are {:?}: {store:?}",
                statistics.get(id)
            )));
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
