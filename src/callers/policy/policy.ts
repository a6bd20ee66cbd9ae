import type { PaymentFacts, PaymentPolicy } from '../../scheme/index.ts';
import { assetRule, payerRule, recipientRule } from './addresses.ts';
import { boundsRule, worthRule } from './amounts.ts';
import { createCheck, type Check } from './check.ts';
import { createFailureLog } from './checkLog.ts';
import { CHECK_LIMITS } from './limits.ts';
import { refuseSelf, refuseZero } from './movement.ts';
import type { PolicyRules, Rule } from './rules.ts';

/** Decides by the operator's rules, of which the first that refuses wins, and by its own check. */
export interface Policy extends PaymentPolicy {
  /** Returns the only assets that are served; undefined if all are. */
  servedAssets(): readonly string[] | undefined;
  /** Returns what is wrong with the policy file since it was read last; undefined if nothing is. */
  problem(): string | undefined;
  /** Reads the policy file again. Keeps the rules if there is a problem with the new ones. */
  readAgain(): void;
  close(): Promise<void>;
}

/** The settings beside the policy file. */
export interface PolicySettings {
  readonly refusesZero: boolean;
  readonly refusesSelf: boolean;
  /** Applies unless the policy file says otherwise. */
  readonly leastTimesFee: number;
}

/** The rules of a policy file, or what is wrong with it, one text per problem. */
export type PolicyRead =
  | { readonly rules: PolicyRules; readonly problems?: never }
  | { readonly rules?: never; readonly problems: readonly string[] };

export interface PolicyDeps {
  settings: PolicySettings;
  rules: PolicyRules;
  read: () => PolicyRead;
  /** The highest fee of one settlement. */
  ceilingStroops: number;
  network: string;
  /** Signs the calls of the check. Empty if no rules have a check. */
  secret: string;
  log: PolicyLog;
}

export type PolicyLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** The policy as it applies until the file is read again. */
interface Applied {
  readonly rules: readonly Rule[];
  readonly check: Check | undefined;
  readonly timeoutMs: number;
  readonly servedAssets: readonly string[] | undefined;
}

export function createPolicy(deps: PolicyDeps): Policy {
  const { read, log } = deps;
  const onSilence = createFailureLog(log, CHECK_LIMITS.failureLogIntervalMs, () => performance.now());
  let applied = apply(deps, deps.rules, onSilence);
  let problem: string | undefined;
  return {
    refusal(payment) {
      for (const rule of applied.rules) {
        const refusal = rule(payment);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    },
    check: (payment, asked) => applied.check?.ask(payment, asked),
    servedAssets: () => applied.servedAssets,
    problem: () => problem,
    readAgain() {
      const { rules, problems = [] } = read();
      problem = problems[0];
      for (const problem of problems)
        log.error({ problem }, 'the policy file is wrong: the policy stays as it was');
      if (rules === undefined) return;
      retire(applied);
      applied = apply(deps, rules, onSilence);
      log.info({}, 'the policy file was read again');
    },
    close: async () => applied.check?.close(),
  };
}

function apply(deps: PolicyDeps, rules: PolicyRules, onSilence: (fault: unknown) => void): Applied {
  const { check: settings, assets } = rules;
  const { secret, network, log } = deps;
  const onRefused = ({ payer, payTo }: PaymentFacts, reason: string | undefined): void =>
    log.info({ payer, payTo, reason }, 'the policy check refused a payment');
  return {
    rules: rulesOf(deps, rules),
    check: settings && createCheck({ settings, secret, network, onRefused, onSilence }),
    timeoutMs: settings?.timeoutMs ?? 0,
    servedAssets: assets?.kind === 'allow' ? [...assets.addresses] : undefined,
  };
}

/** Returns the rules that apply, in their order. */
function rulesOf({ settings, ceilingStroops }: PolicyDeps, rules: PolicyRules): Rule[] {
  const { assets, recipients, payers, amounts, leastTimesFee = settings.leastTimesFee } = rules;
  return [
    settings.refusesZero && refuseZero,
    settings.refusesSelf && refuseSelf,
    assets && assetRule(assets),
    recipients && recipientRule(recipients),
    payers && payerRule(payers),
    amounts.size > 0 && boundsRule(amounts),
    amounts.size > 0 && leastTimesFee > 0 && worthRule(amounts, leastTimesFee, ceilingStroops),
  ].filter((rule) => typeof rule === 'function');
}

/** Closes a check that no longer applies, once its calls have had their turns and their time. */
function retire({ check, timeoutMs }: Applied): void {
  if (check !== undefined) setTimeout(() => void check.close(), 2 * timeoutMs).unref();
}
