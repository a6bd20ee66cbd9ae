import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId } from '../contract/index.ts';
import type { HttpRefusal } from './refusal.ts';

/** Says who sends a request. */
export interface Sender {
  /** Its requests count for this name: that of its key, or its address. */
  readonly name: string;
  /** The id of its key; undefined if it has shown none. */
  readonly keyId: string | undefined;
}

/** A request that may be handled. */
export interface Admitted {
  /** Tells the sender its limits; undefined if it has none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Gives back what the request took up. Called once it is answered. */
  leave(): void;
}

/** Decides who may ask for what, before anything of a request's body is read. */
export interface Admission {
  /**
   * Finds out who sends a request, from its headers and from the address that it counts for, or refuses it. Called when
   * the headers arrive; takes microseconds.
   */
  identify(operationId: OperationId, headers: IncomingHttpHeaders, address: string): Sender | HttpRefusal;
  /** Counts a request against the limits of its sender, or refuses it. Returns a promise only if something is counted. */
  admit(operationId: OperationId, sender: Sender): Admitted | HttpRefusal | Promise<Admitted | HttpRefusal>;
  /** Returns how many connections a key may have; undefined if they count for their addresses. */
  maxConnectionsOf(keyId: string): number | undefined;
}

/** Serves everybody, by address. */
export const OPEN_ADMISSION: Admission = {
  identify: (_operationId, _headers, address) => ({ name: address, keyId: undefined }),
  admit: () => UNLIMITED,
  maxConnectionsOf: () => undefined,
};

const UNLIMITED: Admitted = { leave() {} };
