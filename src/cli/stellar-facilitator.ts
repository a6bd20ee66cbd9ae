#!/usr/bin/env node
// The package's command, and the project's npm scripts: starts the service, or one of its tools by its name.
import '../process/requireNode.ts';
import { holdYoungGeneration } from '../process/startMemory.ts';
import { findProgram, runProgram } from './programs.ts';

const args = process.argv.slice(2);
const program = findProgram(args[0]);
// The rest is loaded here, since a Node that is too old may not be able to load it.
if (args.length === 0) {
  holdYoungGeneration();
  await import('../main.ts');
} else if (program !== undefined) {
  await runProgram(program, args.slice(1));
} else {
  const { runCli } = await import('./run.ts');
  const { processTerminal } = await import('./terminal.ts');
  process.exitCode = await runCli(args, { environment: process.env, terminal: processTerminal(process) });
}
