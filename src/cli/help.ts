import { commandLine, START } from '../process/commands.ts';
import type { Command } from './command.ts';

/** Returns the help of a command. */
export function commandHelp({ name, summary, usage, details }: Command): string {
  const calls = usage.map((words) => `  ${commandLine(name)} ${words}`);
  return `${summary}.\n\nUsage:\n${calls.join('\n')}\n\n${details}`;
}

/** Returns the list of all commands. */
export function generalHelp(commands: readonly Pick<Command, 'name' | 'summary'>[]): string {
  const rows: [call: string, summary: string][] = [
    [START, 'Starts the service; its configuration is read from the environment'],
    ...commands.map(({ name, summary }): [string, string] => [`${commandLine(name)} …`, summary]),
  ];
  const width = Math.max(...rows.map(([call]) => call.length));
  return `Usage:
${rows.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`).join('\n')}

Each command has a --help of its own; --version prints the version. README.md and docs/operator.md explain the rest.`;
}
