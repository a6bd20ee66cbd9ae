import { isKeyId, type KeyLimits } from '../callers/index.ts';
import { MAX_AT_ONCE, MAX_BUDGET_STROOPS, MAX_PER_MINUTE } from '../config/callers.ts';
import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';

/** Allows letters, digits, signs and spaces of any language, and nothing that could change what a terminal shows. */
const NAME = /^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}(?<! )$/u;

const create = action({
  options: {
    name: { type: 'string' },
    'verifies-per-minute': { type: 'string' },
    'settles-per-minute': { type: 'string' },
    'settlements-in-flight': { type: 'string' },
    connections: { type: 'string' },
    'fee-budget': { type: 'string' },
  },
  async run({ values }, context) {
    const { name = '' } = values;
    if (!NAME.test(name))
      throw wrongUsage('--name needs a name for the caller, of 1 to 64 printable characters');
    const limits: KeyLimits = {
      verifiesPerMinute: limitOf('--verifies-per-minute', values['verifies-per-minute'], MAX_PER_MINUTE),
      settlesPerMinute: limitOf('--settles-per-minute', values['settles-per-minute'], MAX_PER_MINUTE),
      settlementsInFlight: limitOf('--settlements-in-flight', values['settlements-in-flight'], MAX_AT_ONCE),
      connections: limitOf('--connections', values.connections, MAX_AT_ONCE),
      feeBudgetStroops: limitOf('--fee-budget', values['fee-budget'], MAX_BUDGET_STROOPS),
    };
    const { createKey } = await import('./keys/actions.ts');
    await createKey({ name, limits }, context);
    return 0;
  },
});

const list = action({
  options: { json: { type: 'boolean', default: false } },
  async run({ values: { json } }, context) {
    const { listKeys } = await import('./keys/list.ts');
    await listKeys({ json }, context);
    return 0;
  },
});

const revoke = action({
  operands: ['<id>'],
  async run({ operands: [id = ''] }, context) {
    const { revokeKey } = await import('./keys/actions.ts');
    await revokeKey(idOf(id), context);
    return 0;
  },
});

const rotate = action({
  operands: ['<id>'],
  async run({ operands: [id = ''] }, context) {
    const { rotateKey } = await import('./keys/actions.ts');
    await rotateKey(idOf(id), context);
    return 0;
  },
});

export const keys: Command = {
  name: 'keys',
  summary: 'Makes and revokes the keys of callers, even while the service runs',
  usage: [
    'create --name <name> [--verifies-per-minute <n>] [--settles-per-minute <n>] [--settlements-in-flight <n>] [--connections <n>] [--fee-budget <stroops>]',
    'list [--json]',
    'revoke <id>',
    'rotate <id>',
  ],
  details: `create  makes a key and prints it, this once: only a hash is stored. Callers send it as Authorization: Bearer <key>.
  --name <name>                says whose key it is; several keys may have the same name
  --verifies-per-minute <n>    1 to ${MAX_PER_MINUTE}
  --settles-per-minute <n>     1 to ${MAX_PER_MINUTE}
  --settlements-in-flight <n>  1 to ${MAX_AT_ONCE}
  --connections <n>            1 to ${MAX_AT_ONCE}
  --fee-budget <stroops>       the network fees that it may cost per day (UTC), 1 to ${MAX_BUDGET_STROOPS}
  A limit that you leave out is the service's. A key without a fee budget spends from the service's alone.

list    shows the keys, revoked ones included
  --json                       prints JSON, for programs

revoke  refuses a key from now on, on all instances within about a second
rotate  makes a key with the same name and limits, prints it, and revokes the old one at once. To let a caller change keys
        without a gap, create a second one, and revoke the first later.

Environment, as for the service: DB_PATH, or DATABASE_URL.

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.`,
  actions: { create, list, revoke, rotate },
};

function limitOf(option: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > max) throw wrongUsage(`${option} must be a whole number from 1 to ${max}`);
  return limit;
}

function idOf(text: string): string {
  if (!isKeyId(text)) throw wrongUsage("<id> must be a key's id: the 12 characters that list shows");
  return text;
}
