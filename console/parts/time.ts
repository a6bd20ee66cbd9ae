/** Words for times and durations. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const timeOfDay: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};
const timeFormat = new Intl.DateTimeFormat(undefined, timeOfDay);
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...timeOfDay });
const yearFormat = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  ...timeOfDay,
});

/** Returns a time in the reader's time zone, without the parts of the date that are those of today. */
export function localTime(iso: string, nowMs: number): string {
  const [date, now] = [new Date(iso), new Date(nowMs)];
  if (date.toDateString() === now.toDateString()) return timeFormat.format(date);
  return (date.getFullYear() === now.getFullYear() ? dayFormat : yearFormat).format(date);
}

export const utcTime = (iso: string): string => iso.replace('T', ' ').replace('Z', ' UTC');

const preciseFormat = new Intl.DateTimeFormat(undefined, { ...timeOfDay, fractionalSecondDigits: 3 });

/** Returns the time of day, to the millisecond unless it is known to the second only. */
export const preciseTime = (iso: string, isWholeSecond: boolean): string =>
  (isWholeSecond ? timeFormat : preciseFormat).format(new Date(iso));

/** Returns a duration in its two largest units, such as `5 min 3 s`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  if (seconds < 60) return `${seconds} s`;
  if (ms < HOUR_MS) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(ms / MINUTE_MS);
  if (ms < DAY_MS) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.floor(ms / HOUR_MS);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Returns a duration, also in milliseconds. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  return age(ms);
}
