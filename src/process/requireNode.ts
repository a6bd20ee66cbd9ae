// The package's commands import this first: an older Node would fail on features it does not know, with a stack trace.
import { EXIT_CONFIG } from './exitCodes.ts';
import { nodeProblem } from './nodeProblem.ts';

const problem = nodeProblem();
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(EXIT_CONFIG);
}
