import { readFileSync } from 'node:fs';
import { VARIABLES, type Variable } from '../../src/agent/config.ts';

/** Hosts start the server on stdio: the settings of `--http` mean nothing to it then. */
type HostVariable = Exclude<Variable, `SVC_MCP_HTTP_${string}`>;

/** A setting of the tool server, as a host shows it to people. */
export interface HostSetting {
  readonly name: HostVariable;
  readonly title: string;
  readonly description: string;
  /** The text that means the same as no text; undefined if there is none. */
  readonly default: string | undefined;
  readonly isSecret: boolean;
}

/** What docs/agent.md does not say. A variable that is missing here does not compile. */
const SHOWN: Readonly<Record<HostVariable, { title: string; isSecret?: true }>> = {
  FACILITATOR_URL: { title: 'Facilitator' },
  FACILITATOR_KEY: { title: 'Key at the facilitator', isSecret: true },
  CLIENT_STELLAR_PRIVATE_KEY: { title: 'Secret key of the wallet', isSecret: true },
  SVC_MCP_MAX_AMOUNT: { title: 'Cap of one payment' },
  SVC_MCP_SESSION_BUDGET: { title: 'Budget of the session' },
  SVC_MCP_BUDGET_FILE: { title: 'File for daily budgets' },
  SVC_MCP_DAILY_ASSET_BUDGET: { title: 'Daily budget for each asset' },
  SVC_MCP_DAILY_HOST_BUDGET: { title: 'Daily budget for each host' },
  SVC_MCP_APPROVE_ABOVE: { title: 'Ask above this amount' },
  SVC_MCP_ALLOWED_ASSETS: { title: 'Allowed assets' },
  SVC_MCP_ALLOWED_HOSTS: { title: 'Allowed hosts' },
  NETWORK: { title: 'Network' },
  // A provider's URL may hold its key.
  RPC_URL: { title: 'Stellar RPC', isSecret: true },
};

const PAGE = new URL('../../docs/agent.md', import.meta.url);

/** Returns the settings in the order of the program's list. Their texts are those of docs/agent.md. */
export function hostSettings(): HostSetting[] {
  const page = readFileSync(PAGE, 'utf8');
  return VARIABLES.filter(isForHosts).map((name) => {
    const { title, isSecret = false } = SHOWN[name];
    return { name, title, isSecret, ...documented(page, name) };
  });
}

const isForHosts = (name: Variable): name is HostVariable => name in SHOWN;

/** Reads the page's line about a variable: its default in brackets, which is a value if it is code, and its text. */
function documented(page: string, name: HostVariable): Pick<HostSetting, 'description' | 'default'> {
  const line = new RegExp(`^- \`${name}\` \\((.+?)\\): (.+)$`, 'm').exec(page);
  if (line === null) throw new Error(`docs/agent.md does not explain ${name}`);
  const [, absent = '', text = ''] = line;
  const value = /^`([^`]+)`$/.exec(absent)?.[1];
  const sentences = [`${text[0]!.toUpperCase()}${text.slice(1)}`];
  if (value === undefined && absent !== 'none') sentences.push(`Default: ${absent}.`);
  return { description: sentences.join(' ').replaceAll('`', ''), default: value };
}
