import { claimOf } from './answers.ts';
import type { Payment } from './facts.ts';

/** Says if a payment that was only asked for under one key was refused as a replay, or has two answers of a ledger. */
export function wrongUnderKey({ authorization, key, answers }: Payment): string[] {
  if (key === undefined) return [];
  const isReplay = answers.some(({ body }) => claimOf(body).says === 'settled before');
  const decided = answers.filter(({ body }) => ['settled', 'failed'].includes(claimOf(body).says));
  const texts = new Set(decided.map(({ body, bazaar }) => JSON.stringify([body, bazaar])));
  return [
    ...(isReplay ? [`answer: ${authorization} is a replay under its own key`] : []),
    ...(texts.size > 1
      ? [`answer: ${authorization} has ${texts.size} answers under one key: ${[...texts].join(' ')}`]
      : []),
  ];
}
