// Tries the operator's configuration: npm run rehearse -- --network pubnet
import { runRehearsal } from './run.ts';

process.exitCode = await runRehearsal(process.argv.slice(2), process.env, {
  say: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
});
