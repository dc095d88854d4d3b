//! A cache with a size.

use std::collections::{hash_map::{self, Entry}, HashMap};
use std::fmt as format;
use crate::clock::*;
pub(crate) use super::policy::Policy as EvictionPolicy;

mod metrics;
extern crate serde;

/// How much the cache holds.
pub const CAPACITY: usize = 1024;
static mut HITS: u64 = 0;

/// What can be kept.
///
/// Everything that knows its size.
pub trait Weighed: Clone + format::Debug {
    type Unit;
    const ZERO: usize = 0;

    fn weight(&self) -> usize;

    fn is_heavy(&self) -> bool {
        self.weight() > CAPACITY / 2
    }
}

#[derive(Debug, Clone)]
pub enum Outcome<V> {
    Hit(V),
    Miss { key: String },
    Expired,
}

/// Keeps values until they are too old.
#[derive(Default)]
pub struct Cache<K, V>
where
    K: Eq,
{
    entries: HashMap<K, Slot<V>>,
    policy: Box<dyn EvictionPolicy>,
}

struct Slot<V>(V, Instant);
type Slots<K, V> = HashMap<K, Slot<V>>;

impl<K: Eq, V: Weighed> Cache<K, V> {
    /// Makes an empty one.
    #[must_use]
    pub fn new(policy: impl Into<Box<dyn EvictionPolicy>>) -> Self {
        Self { entries: HashMap::new(), policy: policy.into() }
    }

    pub async fn get(&mut self, key: &K) -> Outcome<V> {
        match self.entries.get(key) {
            Some(slot) if slot.is_fresh() => {
                metrics::hit(1);
                Outcome::Hit(slot.0.clone())
            }
            _ => self.policy.on_miss::<K>(key).await,
        }
    }

    fn evict(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, slot)| slot.1);
        if let Some((key, _)) = oldest {
            debug!("evicts {:?}", key);
            drop(std::mem::take(&mut self.entries));
        }
    }
}

impl<K, V> format::Display for Cache<K, V> {
    fn fmt(&self, f: &mut format::Formatter<'_>) -> format::Result {
        write!(f, "{} entries", self.entries.len())
    }
}

impl<V> Drop for Slot<V> {
    fn drop(&mut self) {}
}

/// Counts what happens.
macro_rules! count {
    ($name:ident) => {
        metrics::add(stringify!($name), 1)
    };
}

pub fn shared<V>() -> &'static Cache<String, V> {
    fn build<V>() -> Cache<String, V> {
        Cache::new(Box::new(Lru::default()))
    }
    count!(shared);
    Box::leak(Box::new(build::<V>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_cache_is_empty() {
        let cache: Cache<String, u8> = Cache::new(Lru::default());
        assert_eq!(cache.entries.len(), 0);
    }
}
