/** The environment variables that the service reads, by name. */
export const VARIABLES = [
  'SUBMITTER_SECRET',
  'NETWORK',
  'RPC_URL',
  'HOST',
  'PORT',
  'DB_PATH',
  'DATABASE_URL',
  'FEE_BUMP_SECRET',
  'MAX_TRANSACTION_FEE_STROOPS',
  'INCLUSION_FEE_PERCENTILE',
  'MIN_INCLUSION_FEE_STROOPS',
  'MAX_INCLUSION_FEE_STROOPS',
  'REFUSE_ZERO_PAYMENTS',
  'REFUSE_SELF_PAYMENTS',
  'SERIAL_AFTER_FAILURES',
  'REFUSE_AFTER_FAILURES',
  'FEE_MODE',
  'MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR',
] as const;

export type Variable = (typeof VARIABLES)[number];

/** The variables that are set, as text without surrounding spaces. An empty variable counts as absent. */
export type Environment = { readonly [name in Variable]?: string };

export function readEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  const environment: { [name in Variable]?: string } = {};
  for (const name of VARIABLES) {
    const text = source[name]?.trim();
    if (text) environment[name] = text;
  }
  return environment;
}
