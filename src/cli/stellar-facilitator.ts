#!/usr/bin/env node
// The package's command: starts the service, or a tool by its name. Each tool reads process.argv without its name.
import '../process/requireNode.ts';
import { EXIT_USAGE } from '../process/exitCodes.ts';

const TOOLS: Record<string, () => Promise<unknown>> = {
  accounts: () => import('./accounts/main.ts'),
  backup: () => import('./backup.ts'),
  rehearse: () => import('./rehearse/main.ts'),
};

const HELP = `Usage:
  stellar-facilitator                  starts the service; its configuration is read from the environment
  stellar-facilitator accounts …       makes and shows submitter accounts; accounts --help tells how
  stellar-facilitator backup <file>    copies the catalog and the journal into files
  stellar-facilitator rehearse …       tries the configuration before the service goes live; rehearse --help tells how

README.md and docs/operator.md of the package tell the rest.
`;

const [name] = process.argv.splice(2, 1);
const tool = name !== undefined && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
if (name === undefined) await import('../main.ts');
else if (tool) await tool();
else if (name === '--help' || name === '-h') process.stdout.write(HELP);
else {
  process.stderr.write(`there is no command ${JSON.stringify(name)}\n\n${HELP}`);
  process.exitCode = EXIT_USAGE;
}
