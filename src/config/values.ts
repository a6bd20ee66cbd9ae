/** Returns a whole number in its range, or `absent` if none was set; null for anything else. */
export function wholeNumber(
  text: string | undefined,
  absent: number,
  min: number,
  max: number,
): number | null {
  if (text === undefined) return absent;
  if (!/^\d{1,10}$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

/** Returns false if absent; null for anything but on and off. */
export function onOrOff(text = 'off'): boolean | null {
  return text === 'on' ? true : text === 'off' ? false : null;
}
