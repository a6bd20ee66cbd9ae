import type { DiscoveryResource } from '../contract/index.ts';
import { isAddress, recipientKey } from './keeper/target.ts';
import { OVERLOADED } from './queue.ts';
import type { Pool } from './pool.ts';

/** Says where an origin named a listing's owner, as it is served. */
export type Verified = NonNullable<DiscoveryResource['verified']>;

/** What an origin says of the recipient of a settlement, whose listing belongs to another one. */
export interface Claim {
  /** Where it names the recipient. */
  readonly verified: Verified;
  /** All recipients that it names for the URL, at any place. */
  readonly named: readonly string[];
}

/** A recipient at an origin, which asks for one look however many listings it has there. */
export interface Speaker {
  readonly origin: string;
  readonly payTo: string;
}

export interface UnprovenRequest extends Speaker {
  /** Also finds listings whose proof ends before this, in unix ms. */
  readonly untilBefore: number;
}

/** A listing without a proof, or with one that ends soon. */
export interface Unproven {
  readonly id: number;
  readonly resource: string;
  readonly type: string;
  /** When its proof ends or has ended, in unix ms; null if there is none. */
  readonly provenUntil: number | null;
}

/** A place in the order in which proofs end. */
export interface ProofPlace {
  readonly until: number;
  readonly id: number;
}

export interface EndingRequest {
  readonly untilBefore: number;
  readonly after: ProofPlace;
}

/** Listings whose proofs end soon, first those that end first. */
export interface EndingPage {
  readonly listings: readonly (Speaker & Pick<Unproven, 'resource'>)[];
  /** Undefined at the end. */
  readonly next: ProofPlace | undefined;
}

export interface RecordRequest {
  readonly id: number;
  /** The owner that the origin was asked about. If the listing has another one now, nothing is written. */
  readonly owner: string;
  /** Undefined takes away a proof that has ended. */
  readonly verified: Verified | undefined;
}

/** True if a recipient is named itself, or the account or contract that it is a muxed form of. */
export function isNamed(payTo: string, named: readonly string[]): boolean {
  return named.some(
    (name) => name === payTo || (isPlain(name) && recipientKey(name) === recipientKey(payTo)),
  );
}

/** True if a recipient is named in any of its forms. Takes more for named than `isNamed`. */
export function mayBeNamed(payTo: string, named: readonly string[]): boolean {
  return named.some((name) => recipientKey(name) === recipientKey(payTo));
}

const isPlain = (address: string): boolean => isAddress(address) && /^[GC]/.test(address);

/** Keeps what origins say of the owners of listings. Rejects if the store fails or is overloaded. */
export interface Proofs {
  /** Returns a limited number of listings. Leaves out hidden ones. */
  unproven(request: UnprovenRequest): Promise<readonly Unproven[]>;
  ending(request: EndingRequest): Promise<EndingPage>;
  record(request: RecordRequest): Promise<void>;
}

/** Reads and writes proofs in the catalog's file, each call in one transaction. Throws if the database fails. */
export interface ProofStore {
  unproven(request: UnprovenRequest): readonly Unproven[];
  ending(request: EndingRequest): EndingPage;
  /** Returns false if the listing is gone, or has another owner. */
  record(request: RecordRequest): boolean;
}

export function createProofs(
  readers: Pick<Pool, 'ask'>,
  record: (request: RecordRequest) => Promise<unknown>,
): Proofs {
  return {
    unproven: async (request) => answerOf(await readers.ask('unproven', request, {})),
    ending: async (request) => answerOf(await readers.ask('endingProofs', request, {})),
    record: async (request) => void answerOf(await record(request)),
  };
}

function answerOf<T>(answer: T | typeof OVERLOADED): T {
  if (answer === OVERLOADED) throw new Error('the catalog is overloaded');
  return answer as T;
}
