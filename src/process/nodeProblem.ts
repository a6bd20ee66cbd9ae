/** The same as in package.json; a test compares them. */
const LEAST_MAJOR = 24;
const LEAST_MINOR = 11;

/** Returns why this Node cannot run the package; undefined if it can. */
export function nodeProblem(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return (
    `stellar-facilitator needs Node.js ${LEAST_MAJOR}.${LEAST_MINOR} or newer, and this is ${process.versions.node}: ` +
    'install a newer one, or install the package with npm 11, which puts one beside it, and start it with npx'
  );
}
