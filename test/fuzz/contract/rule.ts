import fc from 'fast-check';
import type { Complaint } from './context.ts';

/** A server that is slow or hangs is told of all the same, though not with the smallest request. */
const RULE_LIMIT_MS = 60_000;

/** One rule of the contract, tried with many inputs. */
export interface Rule {
  readonly name: string;
  /** How many inputs a short run tries. */
  readonly runs: number;
  /** Tries inputs until one is answered against the rule, makes it small (unless told), and returns the complaint. */
  find(options: {
    seed: number;
    runs: number;
    shrink?: boolean;
  }): Promise<{ tried: number; complaint?: string }>;
}

/** `holds` throws a complaint. */
export function rule<Input>(
  name: string,
  runs: number,
  inputs: fc.Arbitrary<Input>,
  holds: (input: Input) => Promise<void>,
): Rule {
  return {
    name,
    runs,
    async find({ seed, runs: numRuns, shrink = true }) {
      const details = await fc.check(fc.asyncProperty(inputs, holds), {
        seed,
        numRuns,
        endOnFailure: !shrink,
        interruptAfterTimeLimit: RULE_LIMIT_MS,
      });
      const tried = details.numRuns;
      return details.failed ? { tried, complaint: complaintOf(details.errorInstance) } : { tried };
    },
  };
}

/** The same for cases that are known one by one: each is tried once, in an order that the seed gives, before any twice. */
export function ruleForEach<Case>(
  name: string,
  cases: readonly Case[],
  holds: (of: Case) => Promise<void>,
  runs = cases.length,
): Rule {
  return {
    name,
    runs,
    async find({ seed, runs: wanted }) {
      const [order] = fc.sample(fc.shuffledSubarray([...cases], { minLength: cases.length }), {
        seed,
        numRuns: 1,
      });
      for (let tried = 1; tried <= wanted; tried += 1) {
        try {
          await holds(order![(tried - 1) % cases.length]!);
        } catch (error) {
          return { tried, complaint: complaintOf(error) };
        }
      }
      return { tried: wanted };
    },
  };
}

/** As it is told, with the line for a shell where there is a request. */
export function complaintOf(error: unknown): string {
  const { told, message } = error as Partial<Complaint>;
  return told?.() ?? message ?? String(error);
}
