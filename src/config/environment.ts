/** The environment variables that the service reads, by name. */
export const VARIABLES = [
  'SUBMITTER_SECRET',
  'NETWORK',
  'RPC_URL',
  'HOST',
  'PORT',
  'OPERATOR_HOST',
  'OPERATOR_PORT',
  'OPERATOR_TOKEN',
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
  'LEAST_AMOUNT_TIMES_FEE',
  'POLICY_FILE',
  'POLICY_CHECK_SECRET',
  'SETTLEMENTS_KEPT',
  'FEE_MODE',
  'SERVING',
  'CALLERS',
  'CALLERS_DISCOVERY',
  'TRUSTED_PROXIES',
  'CORS_ORIGINS',
  'VERIFIES_PER_MINUTE',
  'SETTLES_PER_MINUTE',
  'MAX_SETTLEMENTS_IN_FLIGHT',
  'MAX_CONNECTIONS',
  'ANONYMOUS_FEE_BUDGET_STROOPS',
  'SERVICE_FEE_BUDGET_STROOPS',
  'FEE_BALANCE_WARNING_STROOPS',
  'FEE_BALANCE_FLOOR_STROOPS',
  'MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR',
  'SEARCH_RANKING',
  'SEARCH_MODEL',
  'LISTING_OPERATIONS',
  'PROOFS',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_EXPORTER',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_EXPORT_TIMEOUT',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'WEBHOOK_URL',
  'WEBHOOK_SECRET',
  'RECEIPT_SECRET',
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
