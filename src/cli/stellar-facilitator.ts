#!/usr/bin/env node
// The package's command, and the project's npm scripts: starts the service, or one of its tools by its name.
import '../process/requireNode.ts';
import { holdYoungGeneration } from '../process/youngGeneration.ts';
import { isProgram, runProgram } from './programs.ts';

const args = process.argv.slice(2);
// The rest is loaded here, since a Node that is too old may not be able to load it.
if (args.length === 0) {
  holdYoungGeneration();
  await import('../main.ts');
} else if (isProgram(args[0])) {
  await runProgram(args[0]!, args.slice(1));
} else {
  const { runCli } = await import('./run.ts');
  const { processTerminal } = await import('./terminal.ts');
  process.exitCode = await runCli(args, { environment: process.env, terminal: processTerminal(process) });
}
