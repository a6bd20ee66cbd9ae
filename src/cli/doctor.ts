import { baseUnits } from '../stellar/values.ts';
import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const doctor: Command = {
  name: 'doctor',
  summary: 'Says what would keep a seller from being paid or listed',
  usage: ['<url> [--method <name>] [--pay <most>] [--json]'],
  details: `It asks the URL once, without a payment, reads the 402 as buyers and the catalog do, and looks on the ledger whether the
recipient can receive the asset. Each problem comes with a line that says how to fix it. It signs and pays
nothing unless you give --pay.

  --method <name>   the method of the route: ${METHODS.join(', ')}; GET unless given
  --pay <most>      if nothing is found that prevents it, makes ONE REAL PAYMENT of the price, but of no more than so many
                    base units, by the account of DOCTOR_PAYER_SECRET, or of the file that DOCTOR_PAYER_SECRET_FILE names
  --json            prints JSON, for programs

RPC_URL names the Stellar RPC to ask, as it does for the service. On pubnet it is needed.

Exit codes: 0 it would be paid and listed, 1 it would not be paid, 2 it would be paid and not listed, 3 could not
tell, 64 wrong usage, 78 wrong configuration.`,
  action: action({
    operands: ['<url>'],
    options: {
      method: { type: 'string', default: 'GET' },
      pay: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
    async run({ values: { method: given, pay, json }, operands: [text = ''] }, context) {
      const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
      if (url === null || url.username !== '' || url.password !== '')
        throw wrongUsage('<url> must be an absolute http or https URL without a user name and a password');
      const method = given.toUpperCase();
      if (!METHODS.includes(method)) throw wrongUsage(`--method must be one of ${METHODS.join(', ')}`);
      const mostBaseUnits = pay === undefined ? undefined : baseUnits(pay);
      if (pay !== undefined && !mostBaseUnits)
        throw wrongUsage('--pay needs the most to pay, in base units: digits, above 0');
      const { runDoctor } = await import('./doctor/run.ts');
      return runDoctor({ url, method, mostBaseUnits, json }, context);
    },
  }),
};
