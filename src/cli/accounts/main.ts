// Makes and shows submitter accounts: npm run accounts -- create --count 20, npm run accounts -- list
import { runAccounts } from './run.ts';

process.exitCode = await runAccounts(process.argv.slice(2), process.env, {
  say: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
});
