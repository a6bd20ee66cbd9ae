/** Runs a host in its own memory: loads it, calls it with bytes, and replaces it if it traps or grows too large. */
import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { createReader, pack, type Reader } from '../bytes.ts';

/** The protocols that have a host, oldest first. */
export const PROTOCOLS: readonly number[] = [29, 30];

/** A call may use 40 MB of metered memory. An instance never gives memory back. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

/** An entry's XDR and the last ledger in which it lives, null if it cannot expire. */
export interface LiveEntry {
  bytes: Uint8Array;
  liveUntilLedger: number | null;
}

export type ReadEntry = (key: Buffer) => LiveEntry | undefined;

/** The host gave up, because of a limit of the machine or a defect of its own. */
export class HostTrap extends Error {
  override name = 'HostTrap';
}

export interface Instance {
  call(name: 'simulate' | 'invoke', input: Buffer): Reader;
  leastFee(envelope: Buffer): bigint;
}

/** The module's exports. Addresses and lengths refer to its memory; an answer packs both into one number. */
interface Exports {
  memory: { buffer: ArrayBuffer };
  alloc(length: number): number;
  free(at: number, length: number): void;
  configure(at: number, length: number): void;
  least_fee(at: number, length: number): bigint;
  simulate(at: number, length: number): bigint;
  invoke(at: number, length: number): bigint;
}

interface Module {
  readonly compiled: true;
}

/** TypeScript declares this only together with the browser's types. */
declare const WebAssembly: {
  Module: { new (bytes: Uint8Array): Module; imports(module: Module): { module: string; name: string }[] };
  Instance: new (module: Module, imports: object) => { exports: unknown };
  RuntimeError: new () => Error;
};

/** Compiled once per process, since this takes longer than everything that follows. */
const modules = new Map<number, Module>();

function moduleOf(protocol: number): Module {
  const known = modules.get(protocol);
  if (known) return known;
  const packed = readFileSync(new URL(`./soroban-${protocol}.wasm.zst`, import.meta.url));
  const compiled = new WebAssembly.Module(zstdDecompressSync(packed));
  modules.set(protocol, compiled);
  return compiled;
}

export function createInstance(protocol: number, settings: Buffer, readEntry: ReadEntry): Instance {
  let running: Exports | undefined;

  const start = (): Exports => {
    const module = moduleOf(protocol);
    const instance = new WebAssembly.Instance(module, importsOf(module, { entry, panicked }));
    running = instance.exports as Exports;
    running.configure(...pass(running, settings));
    return running;
  };
  /** Gives the host the entry of a key that it asks for. */
  const entry = (at: number, length: number): bigint => {
    const found = readEntry(Buffer.from(new Uint8Array(running!.memory.buffer, at, length)));
    if (!found) return 0n;
    const [start, size] = pass(running!, pack(found.liveUntilLedger ?? 0, found.bytes));
    return (BigInt(start) << 32n) | BigInt(size);
  };
  const panicked = (at: number, length: number): never => {
    throw new HostTrap(Buffer.from(running!.memory.buffer, at, length).toString());
  };
  /** Runs work in the host. After a trap, drops the host, since its memory cannot be trusted. */
  const run = <T>(work: (host: Exports) => T): T => {
    try {
      return work(running ?? start());
    } catch (error) {
      running = undefined;
      // An exhausted stack is a RangeError.
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
        throw new HostTrap(error.message, { cause: error });
      throw error;
    }
  };

  return {
    call: (name, input) =>
      run((host) => {
        const answer = take(host, host[name](...pass(host, input)));
        if (host.memory.buffer.byteLength > MAX_MEMORY_BYTES) running = undefined;
        return createReader(answer);
      }),
    leastFee: (envelope) => run((host) => host.least_fee(...pass(host, envelope))),
  };
}

function pass(host: Exports, bytes: Buffer): [at: number, length: number] {
  const at = host.alloc(bytes.length);
  new Uint8Array(host.memory.buffer).set(bytes, at);
  return [at, bytes.length];
}

function take(host: Exports, place: bigint): Buffer {
  const [at, length] = [Number(BigInt.asUintN(64, place) >> 32n), Number(BigInt.asUintN(32, place))];
  const bytes = Buffer.from(new Uint8Array(host.memory.buffer, at, length));
  host.free(at, length);
  return bytes;
}

/** Returns the module's imports: the ledger's entries, and browser functions that its libraries never call. */
function importsOf(module: Module, ledger: object): object {
  const unused: Record<string, Record<string, () => never>> = {};
  for (const { module: of, name } of WebAssembly.Module.imports(module)) {
    (unused[of] ??= {})[name] = () => {
      throw new Error(`the host called ${of}.${name}`);
    };
  }
  return { ...unused, ledger };
}
