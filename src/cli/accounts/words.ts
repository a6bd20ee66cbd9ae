export function accountsText(count: number): string {
  return count === 1 ? '1 account' : `${count} accounts`;
}

/** A file's name as a shell takes it, also after a dot, where a bare name would be looked for on the PATH. */
export function shellWord(path: string): string {
  const named = path.includes('/') ? path : `./${path}`;
  return /^[\w./-]+$/.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
}
