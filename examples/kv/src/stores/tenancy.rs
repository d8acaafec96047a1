//! Whose it is: stores with their terms, and the tokens that are good for them.

use std::fmt;

use redb::{Error, ReadableTable};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{HASHES, PAGES, STORES, Stores, TOKENS, Tables, decode, encode, random};
use crate::hex;

/// What a plan and its parameters say about a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The plan's name.
    pub plan: String,
    /// The most bytes of keys and values.
    pub quota: u64,
    /// Seconds after which a key expires.
    pub ttl: u32,
}

/// An instance, as its platform knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The platform's name, which is empty where there is only one: another one may use the same ids.
    pub platform: String,
    /// The instance's id.
    pub instance: String,
}

/// What is known of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// The instance that it is.
    pub owner: Owner,
    /// What its plan and parameters say.
    pub terms: Terms,
    /// What its keys begin with.
    pub prefix: String,
    /// The page with its dashboard.
    pub page: String,
    /// How many keys there are.
    pub entries: u64,
    /// How many bytes keys and values have.
    pub bytes: u64,
}

/// Where a token is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenId {
    /// The store that it is good for.
    pub store: String,
    /// Its id there, which is no secret.
    pub token: String,
}

/// What is known of a token.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Token {
    /// The id of the binding that it is, as the platform knows it.
    pub(super) binding: String,
    pub(super) read_only: bool,
    /// Of the token; nothing else of it is kept.
    hash: [u8; 32],
}

/// Why terms were not changed.
#[derive(Debug)]
pub enum TermsError {
    /// There is no such store.
    NoStore,
    /// What is in the store is more than its quota would be.
    TooSmall {
        /// How many bytes there are.
        bytes: u64,
        /// How many there may be.
        quota: u64,
    },
    /// The file could not be written.
    Broken(Error),
}

impl fmt::Display for TermsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStore => f.write_str("there is no such store"),
            Self::TooSmall { bytes, quota } => {
                write!(f, "The store has {bytes} bytes, and there would be room for {quota}")
            }
            Self::Broken(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TermsError {}

impl From<Error> for TermsError {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

/// How many entries of a store that is removed are removed at a time, as others want to write too.
const REMOVED: usize = 1_000;

impl Stores {
    /// Makes a store, unless it is there already.
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

    /// Changes the terms of a store, if what is in it fits.
    ///
    /// # Errors
    ///
    /// If it doesn't fit, there is no such store, or the file can't be written.
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

    /// Removes a store, its tokens and its entries. One that is gone, or half gone, is no error.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub async fn remove(&self, id: &str) -> Result<(), Error> {
        loop {
            let id = id.to_owned();
            // The store and its tokens go first: nobody reaches what is left.
            let gone = self.write(move |tables| {
                tables.forget(&id)?;
                tables.clear(&id, REMOVED)
            });
            if gone.await? < REMOVED {
                return Ok(());
            }
        }
    }

    /// Makes a token for a store, in place of the one with the same id if there is one. `None` if there is no such
    /// store.
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

    /// Removes a token. One that is gone is no error.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub async fn revoke(&self, id: &TokenId) -> Result<(), Error> {
        let id = id.clone();
        self.write(move |tables| tables.revoke(&id)).await
    }

    /// Whether a token is good for a store, and if so, whether for reading only.
    ///
    /// It is looked up by its hash: how long that takes says something about the hashes, and nothing about tokens.
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

    /// The store that a page is the dashboard of.
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

    /// Removes a store and its tokens, and leaves its entries.
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
        // The instance may have been made again since.
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
