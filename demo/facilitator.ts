/** The facilitator under show, booted as `npm start` does, with its log kept at hand. */
import { toConfig } from '../src/config/config.ts';
import { hiddenTexts } from '../src/config/hiddenTexts.ts';
import { createLog } from '../src/log/log.ts';
import { openService, type Service } from '../src/service.ts';

/** Log lines that are kept for a look back. */
const MAX_LOG_LINES = 200;

export interface Facilitator extends Service {
  /** The latest log lines (JSON), oldest first. */
  log: readonly string[];
  /** Hands every log line from now on to `show` as well. */
  followLog(show: (line: string) => void): void;
}

/** `environment` names what an operator would set; see docs/operator-reference.md. */
export async function openFacilitator(environment: {
  RPC_URL: string;
  SUBMITTER_SECRET: string;
  FEE_BUMP_SECRET: string;
}): Promise<Facilitator> {
  const configured = toConfig({ ...environment, PORT: '0', OPERATOR_PORT: 'off', DB_PATH: ':memory:' });
  if ('problems' in configured) throw new Error(configured.problems.map(({ text }) => text).join('; '));
  const { config, secrets } = configured;

  const log: string[] = [];
  let show = (_line: string): void => {};
  const write = (line: string): void => {
    log.push(line.trimEnd());
    if (log.length > MAX_LOG_LINES) log.shift();
    show(line.trimEnd());
  };
  const service = await openService({
    config,
    secrets,
    log: createLog(hiddenTexts(config, secrets), { write }),
  });
  return { ...service, log, followLog: (follower) => void (show = follower) };
}
