import { existsSync } from 'node:fs';
import { PACKAGE_ROOT } from './packageRoot.ts';

/** True in the installed package, where people type its own command. In the project's folder they use npm scripts. */
export const IS_PACKAGED = !existsSync(new URL('src/main.ts', PACKAGE_ROOT));

/** The command line that starts the service. */
export const START = IS_PACKAGED ? 'npx stellar-facilitator' : 'npm start';

/** Returns the command line of one of the service's tools, or of the command that has them all. */
export function commandLine(tool?: string): string {
  if (tool === undefined) return IS_PACKAGED ? START : 'node dist/stellar-facilitator.js';
  return IS_PACKAGED ? `${START} ${tool}` : `npm run ${tool} --`;
}
