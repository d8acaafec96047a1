//! Updates have parameters that a create doesn't have, or that are fixed, have another type or other bounds, a default, or other secrets.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Small, Medium, Large, Huge, Giant, Bronze, Silver, Gold, Empty, Shown, Hidden, Listed, Open, Nested, Partial))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Free, Small, Medium, Large, Huge, Giant, Bronze, Silver, Gold, Empty, Shown, Hidden, Listed, Open, Nested, Partial);

/// Lists.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "list", plans(Short, Long))]
pub struct Lists;

provisions!(Lists);

impl<P: Updatable<Update = ListChanges>> Update<P> for Lists {
    async fn update(&self, update: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        println!("{:?}", update.changes.map(|changes| changes.items));
        Ok(Updated::new(()))
    }
}

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires; fixed once chosen.
    #[param(immutable)]
    pub ttl: Option<u32>,
    #[param(range(max = 100), default = 5)]
    pub size: u8,
    pub backups: std::collections::BTreeMap<String, Backup>,
    pub copy: Copy,
    #[param(secret)]
    pub password: Option<String>,
}

/// When a store is saved.
#[parameters(partial = BackupChanges)]
pub struct Backup {
    #[param(default = 3)]
    pub hour: u8,
}

/// Where a store is copied to.
#[parameters(partial = CopyChanges)]
pub struct Copy {
    #[param(immutable)]
    pub zone: String,
    pub hour: u8,
}

/// An enum, whose tag is no parameter.
#[parameters(tag = "operation")]
pub enum Resize {
    Grow { size: u8 },
}

/// An unknown parameter.
#[parameters]
pub struct Unknown {
    pub copies: Option<u32>,
}

/// An unknown part of a parameter.
#[parameters]
pub struct UnknownPart {
    pub copy: Option<Minutes>,
}

/// When a store is copied.
#[parameters]
pub struct Minutes {
    pub minute: Option<u8>,
}

/// A parameter that is fixed at creation.
#[parameters]
pub struct Fixed {
    pub ttl: Option<u32>,
}

/// A parameter with a part that is fixed at creation.
#[parameters]
pub struct FixedPart {
    pub copy: Option<Copy>,
}

/// A parameter of another type.
#[parameters]
pub struct OtherType {
    pub size: Option<String>,
}

/// A parameter whose bounds are those of other plans.
#[parameters]
pub struct OtherBounds {
    #[param(range(min = 50, max = 100))]
    pub size: Option<u8>,
}

/// A parameter with a default, to which every update would reset it.
#[parameters]
pub struct WithDefault {
    #[param(default = 5)]
    pub size: u8,
}

/// A parameter that has a part with a default.
#[parameters]
pub struct PartWithDefault {
    pub backups: Option<std::collections::BTreeMap<String, Backup>>,
}

/// A secret of a create, which an update shows.
#[parameters]
pub struct ShownSecret {
    #[param(secret = false)]
    pub password: Option<String>,
}

/// A parameter that is secret in an update only.
#[parameters]
pub struct HiddenSize {
    #[param(secret)]
    pub size: Option<u8>,
}

/// Parameters with a list and a map of secrets.
#[parameters(partial = TokenChanges)]
pub struct Tokens {
    pub tokens: Vec<Token>,
    pub named: std::collections::BTreeMap<String, Token>,
}

/// A secret.
#[parameters]
pub struct Token(#[param(secret)] String);

/// The same list, without secrets.
#[parameters]
pub struct ShownTokens {
    pub tokens: Option<Vec<String>>,
}

/// Parameters that accept unknown ones.
#[parameters(open)]
pub struct Anything {
    pub size: Option<u8>,
}

/// A secret that only an update knows.
#[parameters]
pub struct HiddenKey {
    #[param(secret)]
    pub key: Option<String>,
}

/// A secret with parts.
#[parameters]
pub struct Guarded {
    #[param(secret)]
    pub login: Option<Login>,
}

/// A part of a secret.
#[parameters]
pub struct Login {
    pub pin: Option<u8>,
}

/// The same secret.
#[parameters]
pub struct GuardedChanges {
    #[param(secret)]
    pub login: Option<SecretLogin>,
}

/// A part of a secret that is secret itself.
#[parameters]
pub struct SecretLogin {
    #[param(secret)]
    pub pin: Option<u8>,
}

// Mistake: The parameters of an update are an enum, and its tag is no parameter.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = Resize)]
pub struct Free;

// Mistake: An update has a parameter that a create does not have.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", create = NewStore, update = Unknown)]
pub struct Small;

// Mistake: A parameter of an update has a part that a create does not have.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "medium", create = NewStore, update = UnknownPart)]
pub struct Medium;

// Mistake: An update has an immutable parameter.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "large", create = NewStore, update = Fixed)]
pub struct Large;

// Mistake: An update has a nested parameter that is fixed at creation.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "huge", create = NewStore, update = FixedPart)]
pub struct Huge;

// Mistake: A property has another type in the update.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "giant", create = NewStore, update = OtherType)]
pub struct Giant;

// Mistake: A plan narrows a parameter to less than its update accepts.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "bronze", create = NewStore, update = OtherBounds, narrow(size(max = 7)))]
pub struct Bronze;

// Mistake: An update's parameter has a default, to which every update would reset it.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "silver", create = NewStore, update = WithDefault)]
pub struct Silver;

// Mistake: A parameter of an update has a part with a default, to which every update would reset it.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "gold", create = NewStore, update = PartWithDefault)]
pub struct Gold;

// Mistake: An update has a parameter, and a create has none.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "empty", update = Unknown)]
pub struct Empty;

// Mistake: A parameter is secret in a create and not in an update, or the reverse.
/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "shown", create = NewStore, update = ShownSecret)]
pub struct Shown;

/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a14", name = "hidden", create = NewStore, update = HiddenSize)]
pub struct Hidden;

/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a15", name = "listed", create = Tokens, update = ShownTokens)]
pub struct Listed;

/// A store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a16", name = "open", create = Anything, update = HiddenKey)]
pub struct Open;

/// The whole login is secret in both, so this is no mistake.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a17", name = "nested", create = Guarded, update = GuardedChanges)]
pub struct Nested;

/// The secrets are the same in the generated type.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a18", name = "partial", create = Tokens, update = TokenChanges)]
pub struct Partial;

/// The parameters of a list.
#[parameters(partial = ListChanges)]
#[derive(Debug)]
pub struct NewList {
    #[param(default = 5)]
    pub items: u8,
}

/// 5 items.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "short", create = NewList, update = ListChanges)]
pub struct Short;

// Mistake: The parameters of an update are those of a create, and the handler is for their partial type.
/// 10 items.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "long", create = NewList, update = NewList)]
pub struct Long;
