//! The contents of the file, for comparison with the broker's records.

use std::collections::BTreeMap;

use redb::{Error, ReadTransaction, ReadableTable};

use super::{ENTRIES, STORES, Store, Stores, TOKENS, decode, tenancy::Token};

/// Everything in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// The stores, by id. Their numbers of keys and bytes have been compared with the entries.
    pub stores: BTreeMap<String, Store>,
    /// The tokens, by id.
    pub tokens: BTreeMap<String, TokenInfo>,
    /// Number of entries of deleted stores; zero, except while a store is being deleted.
    pub orphans: u64,
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
    let mut recorded = BTreeMap::new();
    for row in file.open_table(STORES)?.iter()? {
        let (id, row) = row?;
        let store: Store = decode(row.value())?;
        all.stores.insert(id.value().to_owned(), Store { entries: 0, bytes: 0, ..store.clone() });
        recorded.insert(id.value().to_owned(), store);
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
    for (counted, (id, store)) in all.stores.values().zip(&recorded) {
        if counted != store {
            let [counted, said] = [counted, store].map(|store| (store.entries, store.bytes));
            return Err(Error::Corrupted(format!("the statistics of store {id} are {said:?} instead of {counted:?}")));
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
