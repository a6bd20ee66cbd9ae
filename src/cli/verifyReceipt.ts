import { action, type Command } from './command.ts';

export const verifyReceipt: Command = {
  name: 'verify-receipt',
  summary: 'Checks the signed statement of a settlement, without asking anybody',
  usage: ['<receipt> <keys>'],
  details: `  <receipt>  a file with a receipt: the answer of /settle, the header PAYMENT-RESPONSE, or the signature (JWS) alone
  <keys>     a file with the facilitator's /.well-known/jwks.json, which you have fetched from it before

Prints what the receipt states, as JSON. Compare it with what you were promised: anybody can show a good receipt of another
payment.

Exit codes: 0 good, 1 not to be believed, 64 wrong usage.`,
  action: action({
    operands: ['<receipt>', '<keys>'],
    async run({ operands: [receipt = '', keys = ''] }, { terminal }) {
      const { stated } = await import('./verifyReceipt/stated.ts');
      await terminal.write(stated(receipt, keys));
      return 0;
    },
  }),
};
