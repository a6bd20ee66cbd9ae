#!/bin/sh
# Builds the contracts into built/, or into the folder given. Needs rustc, cargo, the sources of Rust's standard library and
# lld; on Debian: apt-get install rustc-web cargo-web rust-web-src lld-22
#
# The target wasm32v1-none is WebAssembly's first version: no reference types, no multi-value, no bulk memory, which the
# Soroban host refuses. Its core library is built from source, since distributions do not ship it.
set -eu
cd "$(dirname "$0")"
out=${1:-built}
mkdir -p "$out"
out=$(cd "$out" && pwd)
target=${CARGO_TARGET_DIR:-${TMPDIR:-/tmp}/sandbox-contracts}
export CARGO_TARGET_DIR="$target" CARGO_INCREMENTAL=0
# Lets a released compiler build its own library from source.
export RUSTC_BOOTSTRAP=1
export RUSTC="${RUSTC:-/usr/bin/rustc}"
export CARGO_TARGET_WASM32V1_NONE_LINKER="${WASM_LD:-wasm-ld-22}"
# Nothing of this machine goes into a module, so that another one makes the same bytes.
sysroot=$("$RUSTC" --print sysroot)
RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$sysroot=rust"
export RUSTFLAGS
"${CARGO:-/usr/bin/cargo}" fetch --quiet --locked || exit 75 # EX_TEMPFAIL: no registry
"${CARGO:-/usr/bin/cargo}" build --release --examples --locked --target wasm32v1-none -Zbuild-std=core,alloc
for source in wallets/*.rs tokens/*.rs; do
  module=$(basename "$source" .rs).wasm
  install -m 644 "$target/wasm32v1-none/release/examples/$module" "$out/$module"
done
