/** Lists the fault kinds: the parameters of each, and its effect on a call (described in faults.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionBuilder, xdr } from '@stellar/stellar-sdk';
import type { Network, RpcAnswer } from './network.ts';
import { BASE_FEE_STROOPS, MAX_UINT32 } from './protocol.ts';
import type { HttpReply } from './reply.ts';

const MAX_DELAY_MS = 600_000;
const MAX_LEDGERS_BEHIND = 1_000;
const MAX_INCLUSION_FEE_STROOPS = MAX_UINT32;
const SEND_STATUSES = ['PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR'] as const;
const REFUSAL_CODES = [
  'txTooEarly',
  'txTooLate',
  'txBadSeq',
  'txBadAuth',
  'txInsufficientBalance',
  'txNoAccount',
  'txInsufficientFee',
  'txSorobanInvalid',
  'txInternalError',
] as const;

/** The result of an RPC method, as JSON. */
export type RpcResult = Record<string, unknown>;

interface Parameters {
  hang: object;
  delay: { ms: number };
  httpStatus: { status: number };
  rpcError: { code: number; message: string };
  wrongJson: object;
  wrongId: object;
  lostAnswer: object;
  repeat: object;
  sendStatus: { status: (typeof SEND_STATUSES)[number]; result?: (typeof REFUSAL_CODES)[number] };
  notFound: object;
  staleLedger: { ledgers: number };
  rewrite: { rewrite: (method: string, result: RpcResult) => unknown };
  feeSurge: { stroops: number };
  ledgersStop: object;
}
export type Kind = keyof Parameters;
export type FaultOf<K extends Kind> = { kind: K; methods?: string[]; times?: number } & Parameters[K];
export type Fault = { [K in Kind]: FaultOf<K> }[Kind];

export interface RpcCall {
  id: unknown;
  method: string;
  params: unknown;
}
/** The reply: a JSON-RPC answer to a request id, or any other HTTP reply. */
export type RpcReply = { id: unknown; answer: RpcAnswer } | HttpReply;
type Next = () => Promise<RpcReply>;

export interface FaultKind<F> {
  /** Its parameters, each with a check of its value. */
  parameters: Record<string, Check>;
  /** The methods that it strikes unless the fault names others; default: all. */
  methods?: string[];
  /** Comes between a call and its reply; `next` lets the call take effect. Absent for a state of the network. */
  strike?: (fault: F, call: RpcCall, next: Next, network: Network) => Promise<RpcReply>;
  start?: (fault: F, network: Network) => void;
  stop?: (network: Network) => void;
}

export const FAULT_KINDS: { [K in Kind]: FaultKind<FaultOf<K>> } = {
  hang: { parameters: {}, strike: () => new Promise(() => {}) },
  delay: {
    parameters: { ms: integer(0, MAX_DELAY_MS) },
    async strike({ ms }, _call, next) {
      const reply = await next();
      await sleep(ms, undefined, { ref: false });
      return reply;
    },
  },
  httpStatus: {
    parameters: { status: integer(400, 599) },
    strike: async ({ status }) => ({ status, contentType: 'text/html', text: `<h1>${status}</h1>` }),
  },
  rpcError: {
    parameters: { code: integer(-32_999, 32_999), message: isText },
    strike: async ({ code, message }, { id }) => ({ id, answer: { error: { code, message } } }),
  },
  wrongJson: {
    parameters: {},
    async strike(_fault, _call, next) {
      await next();
      return { status: 200, contentType: 'application/json', text: '{"jsonrpc":"2.0","id":1,"resu' };
    },
  },
  wrongId: {
    parameters: {},
    async strike(_fault, { id }, next) {
      const reply = await next();
      return 'answer' in reply
        ? { ...reply, id: typeof id === 'number' ? id + 1 : 'of another request' }
        : reply;
    },
  },
  lostAnswer: {
    parameters: {},
    async strike(_fault, _call, next) {
      await next();
      return { lost: true };
    },
  },
  repeat: {
    parameters: {},
    async strike(_fault, _call, next) {
      await next();
      return next();
    },
  },
  sendStatus: {
    parameters: { status: oneOf(SEND_STATUSES), result: optional(oneOf(REFUSAL_CODES)) },
    methods: ['sendTransaction'],
    async strike(fault, call, next, network) {
      const submitted = decodeTransaction(call, network.passphrase);
      return submitted ? { id: call.id, answer: sendAnswer(fault, submitted, network) } : next();
    },
  },
  notFound: {
    parameters: {},
    methods: ['getTransaction'],
    strike: (_fault, _call, next) =>
      changeResult(
        next,
        ({ txHash, latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime }) => {
          const range = { latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime };
          return { status: 'NOT_FOUND', txHash, ...range };
        },
      ),
  },
  staleLedger: {
    parameters: { ledgers: integer(1, MAX_LEDGERS_BEHIND) },
    strike: ({ ledgers }, { method }, next) =>
      changeResult(next, (result) => {
        const field = method === 'getLatestLedger' ? 'sequence' : 'latestLedger';
        return field in result ? { ...result, [field]: Number(result[field]) - ledgers } : result;
      }),
  },
  rewrite: {
    parameters: { rewrite: (value) => typeof value === 'function' },
    strike: ({ rewrite }, { method }, next) => changeResult(next, (result) => rewrite(method, result)),
  },
  feeSurge: {
    parameters: { stroops: integer(BASE_FEE_STROOPS, MAX_INCLUSION_FEE_STROOPS) },
    start: ({ stroops }, network) => network.setBaseInclusionFee(stroops),
    stop: (network) => network.setBaseInclusionFee(BASE_FEE_STROOPS),
  },
  ledgersStop: { parameters: {} },
};

type Check = (value: unknown) => boolean;

export function integer(min: number, max: number): Check {
  return (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}

export function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function oneOf(values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

async function changeResult(next: Next, change: (result: RpcResult) => unknown): Promise<RpcReply> {
  const reply = await next();
  if (!('answer' in reply) || !('result' in reply.answer)) return reply;
  return { ...reply, answer: { result: change(reply.answer.result as RpcResult) } };
}

type Submitted = ReturnType<typeof TransactionBuilder.fromXDR>;

function decodeTransaction({ params }: RpcCall, passphrase: string): Submitted | undefined {
  try {
    return TransactionBuilder.fromXDR((params as { transaction: string }).transaction, passphrase);
  } catch {
    return undefined;
  }
}

function sendAnswer(fault: FaultOf<'sendStatus'>, submitted: Submitted, network: Network): RpcAnswer {
  const latest = network.ledgers(1)[0]!;
  const { status, result: code = 'txInternalError' } = fault;
  const answered = {
    status,
    hash: Buffer.from(submitted.hash()).toString('hex'),
    latestLedger: latest.sequence,
    latestLedgerCloseTime: String(Math.floor(latest.closedAtMs / 1000)),
  };
  return {
    result: status === 'ERROR' ? { ...answered, errorResultXdr: refusal(code, submitted.fee) } : answered,
  };
}

function refusal(code: (typeof REFUSAL_CODES)[number], feeStroops: string): string {
  const result = xdr.TransactionResultResult[code]();
  const ext = xdr.TransactionResultExt.v0();
  return new xdr.TransactionResult({ feeCharged: BigInt(feeStroops), result, ext }).toXdr('base64');
}
