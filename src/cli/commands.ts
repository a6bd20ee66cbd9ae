import { accounts } from './accounts.ts';
import { backup } from './backup.ts';
import { catalog } from './catalog.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { keys } from './keys.ts';
import { listings } from './listings.ts';
import { migrate } from './migrate.ts';
import { payments } from './payments.ts';
import { rehearse } from './rehearse.ts';
import { verifyReceipt } from './verifyReceipt.ts';

/**
 * All commands, in the order of the help. Each is also an npm script. Each file loads the code that does its work only
 * when it runs.
 */
export const COMMANDS: readonly Command[] = [
  ...[accounts, keys, payments, listings, catalog, verifyReceipt],
  ...[backup, migrate, rehearse, doctor],
];
