#!/bin/sh
# Builds the hosts of both protocols for wasm32 and puts them, uncompressed, into the folder that is given.
# On Debian 12: apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-22
# (rustup's toolchains lack rust-src, which the standard library for wasm32 is built from.)
# The same compiler makes the same bytes: paths are mapped away, versions are pinned in Cargo.lock.
set -eu
cd "$(dirname "$0")"
out=${1:?usage: build.sh FOLDER}
target=${CARGO_TARGET_DIR:-/tmp/sandbox-wasm-host}
registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_DIR="$target" CARGO_INCREMENTAL=0
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22
source=$("$RUSTC" --print sysroot)/lib/rustlib/src
# The folders of the crates must be there to be mapped away.
/usr/bin/cargo fetch --quiet --locked --target wasm32-unknown-unknown || exit 75 # EX_TEMPFAIL: no registry
remap="--remap-path-prefix=$PWD=/host --remap-path-prefix=$target=/target --remap-path-prefix=$source=/std"
for index in "$registry"/*; do remap="$remap --remap-path-prefix=$index=/crates"; done
export RUSTFLAGS="$remap -C link-arg=-zstack-size=4194304"
mkdir -p "$out"
for protocol in 29 30; do
  /usr/bin/cargo build --quiet --locked --release --lib --features "protocol-$protocol" \
    -Zbuild-std=std,panic_abort --target wasm32-unknown-unknown
  cp "$target/wasm32-unknown-unknown/release/sandbox_wasm_host.wasm" "$out/soroban-$protocol.wasm"
done
