import { sandboxKeyProblem } from '../../config/sandboxKeys.ts';
import { readSecretFiles } from '../../config/secretFiles.ts';
import { secretKeyProblem } from '../../config/secretKeys.ts';
import type { Purse } from '../../doctor/index.ts';
import type { ProcessEnvironment } from '../command.ts';
import { wrongConfiguration } from '../failure.ts';

const PAYER = 'DOCTOR_PAYER_SECRET';

/** Reads the key of the account that pays. Throws a Failure if there is none that may pay. */
export function readPurse(environment: ProcessEnvironment, mostBaseUnits: bigint): Purse {
  const files = readSecretFiles(environment, [PAYER]);
  if (files.problems.length > 0) throw wrongConfiguration(files.problems);
  const payerSecret = files.secrets[PAYER] ?? environment[PAYER]?.trim() ?? '';
  const text =
    payerSecret === ''
      ? 'is missing: --pay needs the secret key of the account that pays'
      : (secretKeyProblem(payerSecret) ?? sandboxKeyProblem(payerSecret, rpcUrlsIn(environment)));
  if (text !== undefined) throw wrongConfiguration([{ variable: PAYER, text }]);
  return { payerSecret, mostBaseUnits };
}

/** Without RPC_URL, a public node is asked. */
function rpcUrlsIn(environment: ProcessEnvironment): string[] {
  const text = environment['RPC_URL']?.trim();
  return text ? text.split(',').map((url) => url.trim()) : ['https://public'];
}
