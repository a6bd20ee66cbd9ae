import type { Environment } from './environment.ts';
import { sandboxKeyProblem } from './sandboxKeys.ts';
import { publicKeyOf, secretKeyProblem } from './secretKeys.ts';
import type { Report } from './values.ts';

export interface AccountKeys {
  /** Secret keys (S…) of the accounts that source the settlements; at least one. */
  readonly submitterSecrets: readonly string[];
  readonly feeBumpSecret: string | undefined;
}

/** Returns the keys of the accounts that source the settlements, and of the one that pays their fees, if any. */
export function readAccountKeys(environment: Environment, report: Report): AccountKeys {
  const submitterSecrets = environment.SUBMITTER_SECRET?.split(',').map((secret) => secret.trim()) ?? [];
  const feeBumpSecret = environment.FEE_BUMP_SECRET;
  for (const text of submitterProblems(submitterSecrets)) report('SUBMITTER_SECRET', text);
  const problem = feeBumpSecret === undefined ? undefined : feeBumpProblem(feeBumpSecret, submitterSecrets);
  if (problem !== undefined) report('FEE_BUMP_SECRET', problem);
  return { submitterSecrets, feeBumpSecret };
}

/** Reports the keys that cannot be used with these RPCs. */
export function checkSandboxKeys(
  { submitterSecrets, feeBumpSecret = '' }: AccountKeys,
  rpcUrls: readonly string[],
  report: Report,
): void {
  for (const [index, secret] of submitterSecrets.entries()) {
    const entry = submitterSecrets.length === 1 ? '' : `entry ${index + 1} `;
    const problem = sandboxKeyProblem(secret, rpcUrls);
    if (problem !== undefined) report('SUBMITTER_SECRET', entry + problem);
  }
  const problem = sandboxKeyProblem(feeBumpSecret, rpcUrls);
  if (problem !== undefined) report('FEE_BUMP_SECRET', problem);
}

/** Returns what is wrong with a list of secret keys, without repeating any part of them. */
export function submitterProblems(secrets: readonly string[]): string[] {
  if (secrets.length === 0) {
    return [
      'is missing: set it to the secret key (S…) of the account that pays the network fees, or a comma-separated ' +
        'list, or SUBMITTER_SECRET_FILE to a file that holds it',
    ];
  }
  return secrets.flatMap((secret, index) => {
    const entry = secrets.length === 1 ? '' : `entry ${index + 1} `;
    const malformed = secretKeyProblem(secret);
    if (malformed !== undefined) return [entry + malformed];
    const first = secrets.indexOf(secret);
    return first === index ? [] : [`${entry}repeats entry ${first + 1}: name each submitter once`];
  });
}

function feeBumpProblem(secret: string, submitterSecrets: readonly string[]): string | undefined {
  const malformed = secretKeyProblem(secret);
  if (malformed !== undefined) return malformed;
  if (!submitterSecrets.includes(secret)) return undefined;
  return `is also a submitter (${publicKeyOf(secret)}): use an account of its own, or leave it out`;
}
