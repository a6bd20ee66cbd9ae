import { configure, type Config, type Configured, type Secrets } from '../../config/config.ts';
import { hiddenTexts } from '../../config/hiddenTexts.ts';
import { readSecretFiles } from '../../config/secretFiles.ts';
import { sandboxKeyProblem } from '../../config/sandboxKeys.ts';
import { secretKeyProblem } from '../../config/secretKeys.ts';
import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import type { ProcessEnvironment } from '../command.ts';
import { Failure, wrongConfiguration } from '../failure.ts';

const PAYER = 'REHEARSE_PAYER_SECRET';

/** The settings of the service, and the key of the account that makes the real payment. */
export interface Settings {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly payerSecret: string | undefined;
  /** Texts that must not be shown. */
  readonly hidden: readonly string[];
}

/** Reads the settings for a rehearsal on `network`. Throws a Failure with one line per problem. */
export function readSettings(
  environment: ProcessEnvironment,
  { network, needsPayer }: { network: string; needsPayer: boolean },
): Settings {
  const configured = configure(environment);
  const files = readSecretFiles(environment, [PAYER]);
  const payerSecret = files.secrets[PAYER] ?? (environment[PAYER]?.trim() || undefined);
  const problems = [
    ...('problems' in configured ? configured.problems : []),
    ...files.problems,
    ...(needsPayer ? payerProblems(payerSecret, configured) : []),
  ];
  if (problems.length > 0 || 'problems' in configured) throw wrongConfiguration(problems);
  const { config, secrets } = configured;
  if (config.network !== network)
    throw new Failure(
      EXIT_CONFIG,
      `NETWORK is ${config.network}, but --network says ${network}: nothing was done`,
    );
  const hidden = hiddenTexts(config, secrets);
  return {
    config,
    secrets,
    payerSecret,
    hidden: payerSecret === undefined ? hidden : [...hidden, payerSecret],
  };
}

function payerProblems(
  secret: string | undefined,
  configured: Configured,
): { variable: string; text: string }[] {
  const rpcUrls = 'problems' in configured ? [] : configured.config.rpcUrls;
  const text =
    secret === undefined
      ? 'is missing: --pay needs the secret key of the account that pays'
      : (secretKeyProblem(secret) ?? sandboxKeyProblem(secret, rpcUrls));
  return text === undefined ? [] : [{ variable: PAYER, text }];
}
