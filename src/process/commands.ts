/** True in the installed package, where people type its own command. In the project's folder they use npm scripts. */
export const IS_PACKAGED = !import.meta.url.endsWith('.ts');

/** The command line that starts the service. */
export const START = IS_PACKAGED ? 'npx stellar-facilitator' : 'npm start';

/** Returns the command line of one of the service's tools, or of the command that has them all. */
export function commandLine(tool?: string): string {
  if (tool === undefined) return IS_PACKAGED ? START : 'node src/cli/stellar-facilitator.ts';
  return IS_PACKAGED ? `${START} ${tool}` : `npm run ${tool} --`;
}
