/** Shows a state by a sign, a word and a colour. Each of them says it alone. */

export type Level = 'good' | 'watch' | 'bad' | 'waiting' | 'idle';

const SIGNS: Readonly<Record<Level, string>> = { good: '✓', watch: '!', bad: '✕', waiting: '◷', idle: '○' };

export function Sign({ level }: { level: Level }) {
  return (
    <span class={`sign ${level}`} aria-hidden="true">
      {SIGNS[level]}
    </span>
  );
}

export function State({ level, word, title }: { level: Level; word: string; title?: string }) {
  return (
    <span class={`state ${level}`} title={title}>
      <Sign level={level} /> {word}
    </span>
  );
}
