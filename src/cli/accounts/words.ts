export function accountsText(count: number): string {
  return count === 1 ? '1 account' : `${count} accounts`;
}

/** Writes a file's name for a shell. Puts `./` before a bare name, which the `.` command would look for on the PATH. */
export function shellWord(path: string): string {
  const named = path.includes('/') ? path : `./${path}`;
  return /^[\w./-]+$/.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
}
