/** The same as in package.json; a test compares them. */
const LEAST_MAJOR = 24;
const LEAST_MINOR = 11;

/** Returns why this Node cannot run the package; undefined if it can. `start` says how to use the Node of npm 11. */
export function nodeProblem(start = 'start it with npx'): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return (
    `stellar-facilitator needs Node.js ${LEAST_MAJOR}.${LEAST_MINOR} or newer, and this is ${process.versions.node}: ` +
    `install a newer one, or run "npx npm@11 install" where the package is installed, which puts one beside it, and ${start}`
  );
}
