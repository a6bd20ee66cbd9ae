import { describe, expect, test } from 'vitest';
import { accountOf, muxed, sold } from '../catalog/sellers.ts';
import { PROOF_LIMITS } from '../../src/proofs/limits.ts';
import { createLooks, type Look, type Looks } from '../../src/proofs/looks.ts';

const { maxWaiting, maxContestedWaiting, maxWaitingOfOne, spacingMs, sameAgainMs, silentHostMs } =
  PROOF_LIMITS;

function open() {
  let nowMs = 0;
  const looks = createLooks(PROOF_LIMITS, () => nowMs);
  return { looks, pass: (ms: number) => void (nowMs += ms) };
}

const look = (origin: string, payTo: string): Look => ({ origin, payTo, resource: `${origin}/` });
const LOOK = look('https://a.example', 'G1');

/** The number of looks that may begin now. */
function startable({ next }: Looks): number {
  let count = 0;
  while (next() !== undefined) count += 1;
  return count;
}

/** The number of looks that wait, however long it takes to begin them. */
function waitingIn({ looks, pass }: ReturnType<typeof open>): number {
  let count = 0;
  for (let empty = 0; empty < 2; pass(spacingMs)) {
    const started = startable(looks);
    count += started;
    empty = started === 0 ? empty + 1 : 0;
  }
  return count;
}

describe.each<[string, (at: number) => Look]>([
  ['one recipient that names many origins', (at) => look(`https://o${at}.example`, 'G1')],
  ['one host with many recipients and ports', (at) => look(`https://a.example:${1000 + at}`, `G${at}`)],
])('%s', (_, lookAt) => {
  test('has one look at a time, with a pause, and few that wait', () => {
    const scene = open();
    for (let at = 0; at < 1_000; at += 1) scene.looks.add(lookAt(at));
    expect(startable(scene.looks)).toBe(1);
    scene.pass(spacingMs - 1);
    expect(startable(scene.looks)).toBe(0);
    scene.pass(1);
    expect(startable(scene.looks)).toBe(1);
    expect(waitingIn(scene)).toBe(maxWaitingOfOne - 2);
  });

  test('does not hold up others', () => {
    const { looks } = open();
    for (let at = 0; at < 1_000; at += 1) looks.add(lookAt(at));
    looks.add(look('https://b.example', 'GB'));
    expect(startable(looks)).toBe(2);
  });
});

test('so many looks wait in all', () => {
  const { looks } = open();
  for (let at = 0; at < 2 * maxWaiting; at += 1) looks.add(look(`https://o${at}.example`, `G${at}`));
  expect(looks.hasRoom).toBe(false);
  expect(startable(looks)).toBe(maxWaiting);
});

test('few of them hold a payment for a listing of somebody else in memory', () => {
  const { looks } = open();
  const contested = sold('a', { payTo: 'G1' });
  for (let at = 0; at < 2 * maxContestedWaiting; at += 1)
    looks.add({ ...look(`https://o${at}.example`, `G${at}`), contested });
  looks.add(look('https://b.example', 'GB'));
  expect(startable(looks)).toBe(maxContestedWaiting + 1);
});

test('the muxed forms of a recipient are one recipient', () => {
  const { looks } = open();
  for (let at = 0; at < 10; at += 1)
    looks.add(look(`https://o${at}.example`, muxed(accountOf('a'), BigInt(at))));
  expect(startable(looks)).toBe(1);
});

test('the same look waits once', () => {
  const scene = open();
  scene.looks.add(LOOK);
  scene.looks.add(LOOK);
  expect(waitingIn(scene)).toBe(1);
});

test('what was not found is not looked for again for a while, what was found is', () => {
  const scene = open();
  for (const [ending, waiting] of [
    ['named', 1],
    ['nothing to prove', 1],
    ['not named', 0],
  ] as const) {
    scene.looks.ended(LOOK, ending);
    scene.looks.add(LOOK);
    expect(waitingIn(scene)).toBe(waiting);
  }
  scene.pass(sameAgainMs);
  scene.looks.add(LOOK);
  expect(waitingIn(scene)).toBe(1);
});

test('a host that does not answer is left alone for a while, whoever asks', () => {
  const { looks, pass } = open();
  looks.ended(LOOK, 'silent');
  looks.add(look('https://a.example:8443', 'G2'));
  pass(silentHostMs - 1);
  expect(startable(looks)).toBe(0);
  pass(1);
  expect(startable(looks)).toBe(1);
});
