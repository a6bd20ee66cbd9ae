/** Policies of an operator. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicySettings } from '../../src/config/policy.ts';
import { readPolicyFile } from '../../src/config/policyFile/read.ts';
import type { PaymentPolicy } from '../../src/scheme/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

/** Refuses nothing. */
export const ANY_PAYMENT: PaymentPolicy = { refusal: () => undefined, check: () => undefined };

/** Signs the calls of the operator's check. */
export const CHECK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Writes a policy file. */
export function policyFile(yaml: string): string {
  const path = join(temporaryFolder(), 'policy.yaml');
  writeFileSync(path, yaml);
  return path;
}

/** Returns the settings with a policy file of this content. */
export function policyWith(yaml: string): Pick<PolicySettings, 'file' | 'rules'> {
  const file = policyFile(yaml);
  const { rules, problems } = readPolicyFile(file, true);
  if (rules === undefined) throw new Error(problems.join('\n'));
  return { file, rules };
}
