import type { Environment, Variable } from './environment.ts';
import type { Report } from './values.ts';

/** Names settings that belong together; `SERVING`. Each of them may still be set by itself. */
type Serving = 'private' | 'strangers';

/**
 * Holds the settings of each preset. Strangers pay for themselves alone, take a share of the service, and burn at most
 * the anonymous budget each day: 5 XLM, some 2,100 payments.
 */
const PRESETS: Readonly<Record<Serving, Environment>> = {
  private: {},
  strangers: {
    REFUSE_ZERO_PAYMENTS: 'on',
    REFUSE_SELF_PAYMENTS: 'on',
    LEAST_AMOUNT_TIMES_FEE: '2',
    VERIFIES_PER_MINUTE: '120',
    SETTLES_PER_MINUTE: '60',
    MAX_SETTLEMENTS_IN_FLIGHT: '20',
    MAX_CONNECTIONS: '100',
    ANONYMOUS_FEE_BUDGET_STROOPS: '50000000',
    SERVICE_FEE_BUDGET_STROOPS: '200000000',
    FEE_BALANCE_WARNING_STROOPS: '30000000',
    FEE_BALANCE_FLOOR_STROOPS: '15000000',
  },
};

/** Returns the environment with the settings of its preset, where it has none of its own. */
export function withPreset(environment: Environment, report: Report): Environment {
  const { SERVING: serving = 'private' } = environment;
  if (Object.hasOwn(PRESETS, serving)) return { ...PRESETS[serving as Serving], ...environment };
  report('SERVING', 'must be private or strangers');
  return environment;
}

/** The settings that say whom the service serves, and how much. */
const SERVING_VARIABLES = [
  'SERVING',
  'CALLERS',
  'CALLERS_DISCOVERY',
  'TRUSTED_PROXIES',
  ...(Object.keys(PRESETS.strangers) as Variable[]),
  'POLICY_FILE',
] as const;

/** Returns those of the settings that are set, by a preset or one by one. The start shows them. */
export function servingSettings(environment: Environment): Environment {
  const set = SERVING_VARIABLES.filter((name) => environment[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, environment[name]]));
}
