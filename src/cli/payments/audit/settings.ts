import { misplacedSecrets, readNetwork, type Config } from '../../../config/config.ts';
import { readEnvironment } from '../../../config/environment.ts';
import { hiddenTexts } from '../../../config/hiddenTexts.ts';
import { readRpcUrls } from '../../../config/rpcUrls.ts';
import type { ProcessEnvironment } from '../../command.ts';
import { wrongConfiguration } from '../../failure.ts';

/** The nodes that know the ledger. */
export interface AuditSettings extends Pick<Config, 'network' | 'rpcUrls'> {
  /** Texts that must not be shown: parts of the RPC's URL that may be keys. */
  readonly hidden: readonly string[];
}

/** Reads the settings; no account's key is needed. Throws a Failure with one line per problem. */
export function readAuditSettings(source: ProcessEnvironment): AuditSettings {
  const { NETWORK, RPC_URL } = readEnvironment(source);
  const environment = { ...(NETWORK && { NETWORK }), ...(RPC_URL && { RPC_URL }) };
  const problems: { variable: string; text: string }[] = misplacedSecrets(environment);
  const report = (variable: string, text: string): void => void problems.push({ variable, text });
  const network = readNetwork(environment, report);
  const rpcUrls = readRpcUrls(environment, network, report);
  if (problems.length > 0) throw wrongConfiguration(problems);
  return {
    network,
    rpcUrls,
    hidden: hiddenTexts({ rpcUrls }, { submitterSecrets: [], feeBumpSecret: undefined }),
  };
}
