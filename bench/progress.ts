/** Tells on stderr how far a measurement is. */
export function say(what: string): void {
  const seconds = Math.round(performance.now() / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${what}`);
}
