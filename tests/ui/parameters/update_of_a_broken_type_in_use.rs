//! Types with a mistake whose partial types other code takes apart, or uses with arguments: only one error about each.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: Fields that have a mistake are `immutable` or required, which the type of an update shows: only one error about each.
#[parameters(partial = MailboxChanges)]
pub struct NewMailbox {
    #[param(pattern = "(?i)^[a-z]+$", immutable)]
    pub name: Option<String>,
    #[param(immutable = "true")]
    pub owner: Option<String>,
    #[param(readonly)]
    pub domain: String,
    #[param(rang(max = 30), immutable = false)]
    pub days: u16,
    #[parameters(default = 5)]
    pub copies: u16,
}

pub fn mailbox(changes: MailboxChanges) -> u16 {
    let MailboxChanges { days, copies } = changes;
    days.unwrap_or(copies.value().copied().unwrap_or(7))
}

// Mistake: A default stands after a semicolon, without a comma, or in a `cfg_attr`, and its type has `partial`: only one error.
#[parameters(partial = QueueChanges)]
pub struct NewQueue {
    #[param(range(min = 1); default = 5)]
    pub days: u16,
    #[param(range(min = 1) default = 5)]
    pub copies: u16,
    #[cfg_attr(unix, param(range(min = 1), default = 5))]
    pub readers: u16,
    #[param(pattern = "^[a-z]+$"; immutable)]
    pub name: String,
}

pub fn queue(changes: QueueChanges) -> Change<u16> {
    let QueueChanges { days, copies, readers } = changes;
    if days == Change::Reset && copies == Change::Reset { readers } else { Change::Keep }
}

// Mistake: The name of a partial type is written as that of an item, or has the type parameter of its own type: only one error.
#[parameters(partial = pub DiskChanges)]
pub struct NewDisk {
    #[param(default = 5)]
    pub size: u16,
}

#[parameters(partial = RackChanges<T>)]
#[derive(Debug)]
pub struct NewRack<T> {
    pub size: T,
}

// Mistake: A partial type has no argument, another sign, a hyphen, or the name of its own type: only one error.
#[parameters(LampChanges)]
pub struct NewLamp {
    #[param(default = 5)]
    pub size: u16,
}

#[parameters(partial -> FanChanges)]
pub struct NewFan {
    #[param(default = 5)]
    pub size: u16,
}

#[parameters(partial = Door-Changes)]
pub struct NewDoor {
    #[param(default = 5)]
    pub size: u16,
}

#[parameters(partial = NewWall)]
pub struct NewWall {
    #[param(default = 5)]
    pub size: u16,
}

pub fn house(lamp: LampChanges, fan: FanChanges, door: DoorChanges, wall: WallChanges) -> bool {
    lamp.size == fan.size && door.size == wall.size
}

pub fn disk(changes: DiskChanges, rack: RackChanges<u32>) -> bool {
    changes.size == Change::Reset && rack.size.is_none()
}

// Mistake: A type has a parameter for updates alone, and another field has a mistake: only one error.
#[parameters(partial = MachineChanges)]
pub struct NewMachine {
    #[param(defualt = 3)]
    pub size: u16,
    #[param(update_only)]
    pub restart: bool,
}

pub fn machine(NewMachine { size }: NewMachine, changes: MachineChanges) -> u16 {
    if changes.restart == Some(true) { 0 } else { size }
}

// Mistake: Parameters have a constant parameter, for which their plans and updates have arguments: only one error.
#[parameters(partial = CacheChanges)]
pub struct NewCache<const N: u8> {
    #[param(range(min = 1, max = 16), default = 1)]
    pub databases: u8,
}

// Mistake: Parameters have a type parameter, for which their plans and updates have arguments: only one error.
#[parameters(partial = HeapChanges)]
#[derive(Debug)]
pub struct NewHeap<T> {
    pub size: T,
}

/// Four databases.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "c", create = NewCache<4>, update = CacheChanges<4>)]
pub struct Cache;

/// A heap.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "h", create = NewHeap<u32>, update = HeapChanges<u32>)]
pub struct Heap;

/// Caches.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "caches", plans(Cache, Heap))]
pub struct Caches;

provisions!(Caches);

impl<P: Updatable> Update<P> for Caches {
    async fn update(&self, _: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

pub fn databases(changes: CacheChanges<4>) -> Change<u8> {
    changes.databases
}
