/** Returns a copy of a part of a text. V8 would keep the whole text in memory for as long as the part. */
export function detached(part: string): string {
  return Buffer.from(part).toString();
}
