//! Benchmarks of sealing and opening a record, compared with a plain copy.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use osb_store::Keys;

fn main() {
    let keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    let keys: Keys = keys.parse().expect("it is a key");
    let place = b"cloud\x008f5d1c6e-0b7a-49d2-83e4-f5061728394a";
    let plain = vec![b'x'; 1000];
    let sealed = keys.seal(place, &plain).expect("there are random numbers");

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("record-1kB");
    group.throughput(Throughput::Bytes(1000));
    group.bench_function("copy", |bencher| bencher.iter(|| black_box(&plain).clone()));
    group.bench_function("seal", |bencher| bencher.iter(|| keys.seal(place, black_box(&plain))));
    group.bench_function("open", |bencher| bencher.iter(|| keys.open(place, black_box(&sealed))));
    group.finish();
    criterion.final_summary();
}
