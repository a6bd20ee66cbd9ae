/** The command line that starts the service, in the project's folder as where the package is installed. */
export const START = 'npx stellar-facilitator';

/** Returns the command line of one of the service's tools, or of the command that has them all. */
export const commandLine = (tool?: string): string => (tool === undefined ? START : `${START} ${tool}`);
