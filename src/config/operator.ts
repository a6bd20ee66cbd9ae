import { isIP } from 'node:net';
import type { Environment } from './environment.ts';
import { wholeNumber, type Report } from './values.ts';

/** Says where the operator's port listens. */
export interface OperatorSettings {
  readonly host: string;
  /** 0 asks the system for any free port. */
  readonly port: number;
  /** False if `OPERATOR_PORT` is not set: the service then starts without the port if another program has it. */
  readonly isPortChosen: boolean;
}

const DEFAULT_PORT = 4022;
const DEFAULT_HOST = '127.0.0.1';
const MAX_PORT = 65_535;

/** Returns undefined if the port is off. `servicePort` is the port of the service itself. */
export function readOperator(
  environment: Environment,
  servicePort: number,
  report: Report,
): OperatorSettings | undefined {
  const { OPERATOR_PORT: portText, OPERATOR_HOST: host = DEFAULT_HOST, OPERATOR_TOKEN: token } = environment;
  if (isIP(host) === 0 && host !== 'localhost')
    report('OPERATOR_HOST', 'must be an IP address of this machine, such as 127.0.0.1, or localhost');
  if (portText === 'off') return undefined;
  const rule = { absent: DEFAULT_PORT, min: 0, max: MAX_PORT, note: 'or off; 0 takes any free port' };
  const port = wholeNumber(environment, 'OPERATOR_PORT', rule, report);
  if (port !== 0 && port === servicePort)
    report('OPERATOR_PORT', `must differ from PORT: set another, or off (it is ${DEFAULT_PORT} unless set)`);
  if (!isLoopback(host) && token === undefined)
    report('OPERATOR_TOKEN', 'must be set if other machines can reach OPERATOR_HOST');
  return { host, port, isPortChosen: portText !== undefined };
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
