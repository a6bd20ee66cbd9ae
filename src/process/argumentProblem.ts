/** Returns what is wrong with a command line, from the error of `parseArgs`. */
export function argumentProblem(error: unknown): string {
  // The sentences after the first one are for programmers.
  const [text = ''] = (error as Error).message.split(/\.\s/);
  return text;
}
