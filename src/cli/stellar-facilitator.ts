#!/usr/bin/env node
// The package's command, and the project's npm scripts: starts the service, or one of its tools by its name.
import '../process/requireNode.ts';
import { holdYoungGeneration } from '../process/youngGeneration.ts';

const args = process.argv.slice(2);
// Both are loaded here, since a Node that is too old may not be able to load them.
if (args.length === 0) {
  holdYoungGeneration();
  await import('../main.ts');
} else {
  const { runCli } = await import('./run.ts');
  const { processTerminal } = await import('./terminal.ts');
  process.exitCode = await runCli(args, { environment: process.env, terminal: processTerminal(process) });
}
