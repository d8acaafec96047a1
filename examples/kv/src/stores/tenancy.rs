//! Stores with their terms, and their tokens.

use redb::{Error, ReadableTable};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{HASHES, PAGES, STORES, Stores, TOKENS, Tables, decode, encode, random};
use crate::hex;

/// The terms of a store, from its plan and parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The plan's name.
    pub plan: String,
    /// Maximum number of bytes in keys and values.
    pub quota: u64,
    /// Seconds after which a key expires.
    pub ttl: u32,
}

/// An instance, as its platform knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The platform's name, because platforms may use the same ids; empty for a single platform.
    pub platform: String,
    /// The instance's id.
    pub instance: String,
}

/// A store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// Its instance.
    pub owner: Owner,
    /// Its terms.
    pub terms: Terms,
    /// The prefix of its keys.
    pub prefix: String,
    /// The name of its dashboard page.
    pub page: String,
    /// Number of keys.
    pub entries: u64,
    /// Number of bytes in keys and values.
    pub bytes: u64,
}

/// The id of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenId {
    /// The store that it grants access to.
    pub store: String,
    /// Its id in the store, which is not secret.
    pub token: String,
}

/// A token.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Token {
    /// The platform's id of its binding.
    pub(super) binding: String,
    pub(super) read_only: bool,
    /// Hash of the token, which itself is not stored.
    hash: [u8; 32],
}

/// The reason for which terms were not changed.
#[derive(Debug, thiserror::Error)]
pub enum TermsError {
    /// The store does not exist.
    #[error("the store does not exist")]
    NoStore,
    /// The store has more data than the new quota allows.
    #[error("The store has {bytes} bytes, but the new quota is {quota}")]
    TooSmall {
        /// Number of bytes in the store.
        bytes: u64,
        /// The new quota.
        quota: u64,
    },
    /// The file could not be written.
    #[error(transparent)]
    Broken(#[from] Error),
}

/// Maximum number of deleted entries in one transaction, so that other writers don't wait for long.
const REMOVAL_BATCH: usize = 1_000;

impl Stores {
    /// Creates a store, unless it exists already.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub async fn create(&self, id: &str, owner: Owner, prefix: &str, terms: Terms) -> Result<(), Error> {
        let (id, page) = (id.to_owned(), self.page(&owner));
        let store = Store { owner, terms, prefix: prefix.to_owned(), page, entries: 0, bytes: 0 };
        self.write(move |tables| {
            if tables.store(&id)?.is_none() {
                tables.pages.insert(store.page.as_str(), id.as_str())?;
                tables.save(&id, &store)?;
            }
            Ok(())
        })
        .await
    }

    /// Changes the terms of a store, if its data fits into the new quota.
    ///
    /// # Errors
    ///
    /// If it doesn't fit, the store does not exist, or the file can't be written.
    pub async fn change(&self, id: &str, terms: Terms) -> Result<(), TermsError> {
        let (id, now) = (id.to_owned(), self.now());
        self.write(move |tables| {
            let mut store = tables.store(&id)?.ok_or(TermsError::NoStore)?;
            if store.bytes > terms.quota {
                store = tables.expire(&id, now)?.ok_or(TermsError::NoStore)?;
            }
            if store.bytes > terms.quota {
                return Err(TermsError::TooSmall { bytes: store.bytes, quota: terms.quota });
            }
            store.terms = terms;
            Ok(tables.save(&id, &store)?)
        })
        .await
    }

    /// Deletes a store, its tokens and its entries. A store that is missing or partly deleted is not an error.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub async fn remove(&self, id: &str) -> Result<(), Error> {
        loop {
            let id = id.to_owned();
            // Deletes the store and its tokens first, so that its entries can't be read any more.
            let gone = self.write(move |tables| {
                tables.forget(&id)?;
                tables.clear(&id, REMOVAL_BATCH)
            });
            if gone.await? < REMOVAL_BATCH {
                return Ok(());
            }
        }
    }

    /// Creates a token for a store, and replaces one with the same id. Returns `None` if the store does not exist.
    ///
    /// # Errors
    ///
    /// If the file can't be written, or the system has no random numbers.
    pub async fn grant(&self, id: &TokenId, binding: &str, read_only: bool) -> Result<Option<String>, Error> {
        let secret = hex(&random()?);
        let token = Token { binding: binding.to_owned(), read_only, hash: hash(&secret) };
        let id = id.clone();
        self.write(move |tables| {
            if tables.store(&id.store)?.is_none() {
                return Ok(None);
            }
            tables.revoke(&id)?;
            let key = (id.store.as_str(), id.token.as_str());
            tables.hashes.insert(token.hash.as_slice(), key)?;
            tables.tokens.insert(key, encode(&token)?.as_slice())?;
            Ok(Some(secret))
        })
        .await
    }

    /// Deletes a token. A missing token is not an error.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub async fn revoke(&self, id: &TokenId) -> Result<(), Error> {
        let id = id.clone();
        self.write(move |tables| tables.revoke(&id)).await
    }

    /// Checks whether a token is valid for a store; returns whether it is read-only.
    ///
    /// It is looked up by its hash, so the time of the lookup reveals nothing about tokens.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub async fn admit(&self, store: &str, secret: &str) -> Result<Option<bool>, Error> {
        let (store, hash) = (store.to_owned(), hash(secret));
        self.read(move |file| {
            let hashes = file.open_table(HASHES)?;
            let Some(found) = hashes.get(hash.as_slice())? else { return Ok(None) };
            let key = found.value();
            if key.0 != store {
                return Ok(None);
            }
            let token = file.open_table(TOKENS)?.get(key)?;
            token.map(|token| Ok(decode::<Token>(token.value())?.read_only)).transpose()
        })
        .await
    }

    /// Returns the store of a dashboard page.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub async fn on_page(&self, page: &str) -> Result<Option<Store>, Error> {
        let page = page.to_owned();
        self.read(move |file| {
            let pages = file.open_table(PAGES)?;
            let Some(id) = pages.get(page.as_str())? else { return Ok(None) };
            file.open_table(STORES)?.get(id.value())?.map(|store| decode(store.value())).transpose()
        })
        .await
    }
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

impl Tables<'_> {
    pub(super) fn store(&self, id: &str) -> Result<Option<Store>, Error> {
        self.stores.get(id)?.map(|store| decode(store.value())).transpose()
    }

    pub(super) fn save(&mut self, id: &str, store: &Store) -> Result<(), Error> {
        self.stores.insert(id, encode(store)?.as_slice())?;
        Ok(())
    }

    /// Deletes a store and its tokens, but not its entries.
    fn forget(&mut self, id: &str) -> Result<(), Error> {
        let Some(store) = self.store(id)? else { return Ok(()) };
        let mut tokens = Vec::new();
        for token in self.tokens.range((id, "")..)? {
            let (key, _) = token?;
            let (store, token) = key.value();
            if store != id {
                break;
            }
            tokens.push(TokenId { store: store.to_owned(), token: token.to_owned() });
        }
        for token in &tokens {
            self.revoke(token)?;
        }
        // A new instance with the same id may have replaced the page.
        if self.pages.get(store.page.as_str())?.is_some_and(|shown| shown.value() == id) {
            self.pages.remove(store.page.as_str())?;
        }
        self.stores.remove(id)?;
        Ok(())
    }

    fn revoke(&mut self, id: &TokenId) -> Result<(), Error> {
        let removed = self.tokens.remove((id.store.as_str(), id.token.as_str()))?;
        let hash = removed.map(|token| Ok::<_, Error>(decode::<Token>(token.value())?.hash)).transpose()?;
        if let Some(hash) = hash {
            self.hashes.remove(hash.as_slice())?;
        }
        Ok(())
    }
}
