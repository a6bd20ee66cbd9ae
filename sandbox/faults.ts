/**
 * Faults that tests ask the sandbox for: an RPC that misbehaves, a network in trouble.
 *
 * In process: `faults.add({ kind: 'delay', ms: 500, methods: ['getTransaction'], times: 2 })`. Over HTTP the
 * same object as JSON: POST /faults adds one, GET /faults shows those in force, DELETE /faults clears them.
 * `methods` are the RPC methods that it strikes (default: all, or the one that the table names); `times` is
 * how many calls it strikes (default: all, until cleared). If several faults strike one call, each wraps those
 * that were added before it. The last two rows below are states of the network: no methods, no times.
 *
 * | kind        | parameters      | what happens                                                            |
 * | ----------- | --------------- | ----------------------------------------------------------------------- |
 * | hang        |                 | nothing takes effect, no answer; the connection stays open              |
 * | delay       | ms              | takes effect at once, the answer comes late                             |
 * | httpStatus  | status          | nothing takes effect; this status with a body that is not JSON          |
 * | rpcError    | code, message   | nothing takes effect; this JSON-RPC error                               |
 * | wrongJson   |                 | takes effect, the answer is cut off in the middle                       |
 * | wrongId     |                 | takes effect, the answer carries another request's id                   |
 * | lostAnswer  |                 | takes effect, then the connection breaks                                |
 * | repeat      |                 | takes effect twice, as behind a proxy that retries; answers the second  |
 * | sendStatus  | status, result? | sendTransaction takes no effect and answers PENDING (then lost),        |
 * |             |                 | DUPLICATE, TRY_AGAIN_LATER or ERROR (with a result such as txBadSeq;    |
 * |             |                 | default txInternalError)                                                |
 * | notFound    |                 | getTransaction does not know the transaction yet                        |
 * | staleLedger | ledgers         | answers name a latest ledger that is this many behind                   |
 * | rewrite     | rewrite         | (method, result) => result, in process only: any answer a test needs    |
 * | feeSurge    | stroops         | the network demands this inclusion fee                                  |
 * | ledgersStop |                 | ledgers close only when asked for, not on the clock                     |
 */
import {
  FAULT_KINDS,
  integer,
  isText,
  optional,
  type Fault,
  type FaultKind,
  type RpcCall,
  type RpcReply,
} from './faultKinds.ts';
import type { Network, RpcAnswer } from './network.ts';
import { METHOD_NAMES } from './rpc/methods.ts';

/** The most faults that may be in force at a time. */
const MAX_FAULTS = 100;
const MAX_METHODS = 20;
const MAX_TIMES = 1_000_000;

export type { Fault };

export interface Faults {
  /** Puts a fault in force. Throws when MAX_FAULTS are in force already. */
  add(fault: Fault): void;
  clear(): void;
  /** Returns the faults in force; `times` is what is left. */
  list(): Fault[];
  /** Lets `call` take effect through the faults that strike it, and returns what goes back. */
  strike(call: RpcCall, takeEffect: () => RpcAnswer): Promise<RpcReply>;
}

export function createFaults(network: Network): Faults {
  let inForce: Fault[] = [];

  /** Returns the faults that strike this call, and counts the call against the `times` of each. */
  function struckBy(method: string): Fault[] {
    const striking = inForce.filter((fault) => {
      const { methods, strike } = kindOf(fault);
      return strike && ((fault.methods ?? methods)?.includes(method) ?? true);
    });
    for (const fault of striking) if (fault.times !== undefined) fault.times -= 1;
    inForce = inForce.filter((fault) => fault.times !== 0);
    return striking;
  }

  return {
    add(fault) {
      if (inForce.length >= MAX_FAULTS) throw new Error(`no more than ${MAX_FAULTS} faults at a time`);
      inForce.push({ ...fault });
      kindOf(fault).start?.(fault, network);
    },
    clear() {
      for (const fault of inForce) kindOf(fault).stop?.(network);
      inForce = [];
    },
    list: () => inForce.map((fault) => ({ ...fault })),
    strike(call, takeEffect) {
      const answer = async (): Promise<RpcReply> => ({ id: call.id, answer: takeEffect() });
      const chain = struckBy(call.method).reduce(
        (next, fault) => () => kindOf(fault).strike!(fault, call, next, network),
        answer,
      );
      return chain();
    },
  };
}

function kindOf(fault: Fault): FaultKind<Fault> {
  return FAULT_KINDS[fault.kind] as FaultKind<Fault>;
}

/** The kinds that JSON can hold. */
const KINDS_OVER_HTTP = Object.keys(FAULT_KINDS).filter((kind) => kind !== 'rewrite');

/** Reads a fault from its JSON, or says what is wrong with it. */
export function parseFault(text: string): { fault: Fault } | { wrong: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { wrong: 'the body is not JSON' };
  }
  if (typeof value !== 'object' || value === null) return { wrong: 'the body is no object' };
  const { kind, ...given } = value as Record<string, unknown>;
  if (typeof kind !== 'string' || !Object.hasOwn(FAULT_KINDS, kind)) {
    return { wrong: `kind must be one of ${KINDS_OVER_HTTP.join(', ')}` };
  }
  const { parameters, strike } = FAULT_KINDS[kind as Fault['kind']];
  const allowed = strike ? { ...parameters, ...SCOPE } : parameters;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(allowed, name));
  if (unknown) return { wrong: `${kind} takes no ${unknown}` };
  const wrong = Object.keys(allowed).find((name) => !allowed[name]!(given[name]));
  if (wrong) return { wrong: `${wrong} is missing or not allowed for ${kind}` };
  const fault = value as Fault;
  const unheardOf = fault.methods?.find((method) => !METHOD_NAMES.includes(method));
  if (unheardOf !== undefined)
    return { wrong: `there is no method ${JSON.stringify(unheardOf)}: name ${METHOD_NAMES.join(', ')}` };
  return { fault };
}

/** The fields that say which calls a fault strikes. */
const SCOPE: FaultKind<Fault>['parameters'] = {
  methods: optional((value) => Array.isArray(value) && value.length <= MAX_METHODS && value.every(isText)),
  times: optional(integer(1, MAX_TIMES)),
};
