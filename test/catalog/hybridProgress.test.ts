import { expect, test } from 'vitest';
import { createHybridProgress } from '../../src/catalog/hybrid/progress.ts';

test('the log says once that the index is filled, however often it is followed or built again behind it', () => {
  const said: string[] = [];
  const progress = createHybridProgress({ info: (_, text) => void said.push(text) });
  progress.hear({ indexed: 250, listings: 500 });
  for (let step = 0; step < 100; step += 1) progress.hear({ indexed: 500, listings: 500 });
  progress.hear({ indexed: 500, listings: 900 });
  progress.hear({ indexed: 900, listings: 900 });
  expect(said).toEqual(['searches are ranked by words and meaning']);
  expect(progress.latest()).toEqual({ indexed: 900, listings: 900 });
});

test('the log says it again if the index was begun again', () => {
  const said: string[] = [];
  const progress = createHybridProgress({ info: (_, text) => void said.push(text) });
  for (const indexed of [500, 250, 500]) progress.hear({ indexed, listings: 500 });
  expect(said).toHaveLength(2);
});
