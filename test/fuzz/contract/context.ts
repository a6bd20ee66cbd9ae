/** What every rule of the fuzzer works with. */
import type { FacilitatorRequest } from '../../../src/contract/index.ts';
import type { FilledService } from '../../support/filledService.ts';
import { curlOf } from './curl.ts';
import type { ContractDocument, Operation } from './document.ts';
import { getRequest, type Answer, type Exchange, type FuzzRequest } from './exchange.ts';
import { bodyOf, createJudge, type Expectation } from './judge.ts';

export interface Context {
  readonly document: ContractDocument;
  readonly service: FilledService;
  operation(operationId: string): Operation;
  /** Sends a request, and throws a complaint unless the answer is what the contract gives it. */
  send(
    operation: Operation | undefined,
    request: FuzzRequest,
    expected?: Expectation,
    rule?: string,
  ): Promise<Answer>;
  /** The body of the answer to a GET that must succeed. */
  read(operationId: string, query?: Iterable<readonly [string, string]>): Promise<any>;
  /** A payment of the stock client that is good for a while yet, and asks for a listing; not to be settled. */
  goodPayment(): Promise<FacilitatorRequest>;
  /** One that may be settled: whoever gets it may find that it was. */
  spendablePayment(): Promise<FacilitatorRequest>;
  /** Throws what is wrong with the answer to `request`, if anything is. */
  complain(request: FuzzRequest, answer: Answer, complaints: readonly string[], rule?: string): void;
}

/** A settlement waits for ledgers; everything else is a matter of milliseconds. */
const SETTLE_LIMIT_MS = 10_000;
const ANSWER_LIMIT_MS = 2_000;
/** A machine that was busy for a moment is not the service's fault. */
const ATTEMPTS_IN_TIME = 3;
/** A payment that is used for longer would expire under the hands of those who look at it. */
const PAYMENT_AGE_LIMIT_MS = 10_000;
const SHOWN_BODY_CHARS = 600;
const COMPLAINTS_SHOWN = 5;

const OK: Expectation = { statuses: [200] };

/** `exchange` reaches the service as its clients do, maybe through something that breaks its answers. */
export function createContext(
  document: ContractDocument,
  service: FilledService,
  exchange: Exchange,
): Context {
  const judge = createJudge(document);

  const context: Context = {
    document,
    service,
    operation: (operationId) =>
      document.operations.find((operation) => operation.operationId === operationId)!,
    async send(operation, request, expected = OK, rule) {
      const answer = await answerTo(operation, request, rule);
      context.complain(request, answer, judge(operation, request, answer, expected), rule);
      return answer;
    },
    async read(operationId, query) {
      const operation = context.operation(operationId);
      return bodyOf(await context.send(operation, getRequest(operation.path, query)));
    },
    goodPayment: renewed(() => service.payment('something never settled')),
    spendablePayment: renewed(() => service.payment()),
    complain(request, answer, complaints, rule) {
      if (complaints.length === 0) return;
      const answered = `answered ${answer.status} ${answer.body.toString('utf8').slice(0, SHOWN_BODY_CHARS)}`;
      throw complaint(complaints.slice(0, COMPLAINTS_SHOWN), request, answered, rule);
    },
  };
  return context;

  function complaint(
    complaints: readonly string[],
    request: FuzzRequest,
    answered: string,
    rule: string | undefined,
  ): Complaint {
    const message = [...(rule === undefined ? [] : [`(${rule})`]), ...complaints].join('\n');
    const told = (): string => `${message}\n  ${curlOf(service.url, request)}\n  ${answered}`;
    return Object.assign(new Error(message), { told });
  }

  async function answerTo(
    operation: Operation | undefined,
    request: FuzzRequest,
    rule: string | undefined,
  ): Promise<Answer> {
    const limitMs = operation?.operationId === 'settlePayment' ? SETTLE_LIMIT_MS : ANSWER_LIMIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await exchange(request).catch((error: unknown) => {
        throw complaint([`no answer: ${String(error)}`], request, '', rule);
      });
      if (answer.ms <= limitMs) return answer;
      if (attempt === ATTEMPTS_IN_TIME)
        context.complain(
          request,
          answer,
          [`the answer takes ${Math.round(answer.ms)} ms, and ${limitMs} at most`],
          rule,
        );
    }
  }
}

/** The line for a shell is made only where it is told: shrinking throws many that are not. */
export type Complaint = Error & { readonly told: () => string };

/** Made once, and again when it has become old. */
function renewed<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: { value: Promise<Value>; since: number } | undefined;
  return () => {
    if (!made || performance.now() - made.since > PAYMENT_AGE_LIMIT_MS)
      made = { value: make(), since: performance.now() };
    return made.value;
  };
}
