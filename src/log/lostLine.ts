/** Returns the log line that says how many lines before it were lost. */
export function lostLine(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines were lost' })}\n`;
}
