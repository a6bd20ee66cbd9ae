import { describe, expect, test, vi } from 'vitest';
import { createCheapestFirst, createRoundRobin, type Line, type Place } from '../../src/catalog/lines.ts';

interface Named extends Place {
  readonly name: string;
}

const named = (name: string, { caller = name[0]!, sinceMs = 0, cost = 0 } = {}): Named => ({
  name,
  caller,
  sinceMs,
  cost,
});

/** Who comes, one after the other, until nobody waits. */
function all(line: Line<Named>): string {
  const names: string[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) names.push(next.name);
  return names.join(' ');
}

function filled(line: Line<Named>, ...names: string[]): Line<Named> {
  for (const name of names) line.add(named(name));
  return line;
}

describe('in a fair line', () => {
  test('callers take turns, whatever others ask for', () => {
    expect(all(filled(createRoundRobin(), 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'))).toBe(
      'a1 b1 c1 a2 b2 a3 a4',
    );
  });

  test('a caller who comes again is not before those who wait', () => {
    const line = filled(createRoundRobin<Named>(), 'a1', 'b1');
    expect(line.next()!.name).toBe('a1');
    line.add(named('a2'));
    expect(all(line)).toBe('b1 a2');
  });

  test('the oldest comes first, until it has waited for too long: then the newest does', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(99);
    const line = filled(createRoundRobin<Named>(100), 'a1', 'a2', 'a3', 'a4', 'b1');
    line.add(named('b2', { sinceMs: 90 }));
    expect(line.next()!.name).toBe('a1');
    now.mockReturnValue(100);
    expect(all(line)).toBe('b2 a4 b1 a3 a2');
    now.mockRestore();
  });

  test('the oldest of the caller with the most gives way', () => {
    const line = filled(createRoundRobin<Named>(), 'a1', 'b1', 'b2', 'b3', 'c1', 'c2');
    expect(line.surplus()!.name).toBe('b1');
  });

  test('one that is taken out does not come', () => {
    const line = createRoundRobin<Named>();
    const [gone, stays] = [named('a1'), named('a2')];
    for (const waiting of [gone, stays, named('b1')]) line.add(waiting);
    line.remove(gone);
    line.remove(gone);
    expect(line.size).toBe(2);
    expect(all(line)).toBe('a2 b1');
    expect([line.size, line.surplus()]).toEqual([0, undefined]);
  });
});

test('the cheapest comes first, of equal ones the oldest, and the dearest gives way', () => {
  const line = createCheapestFirst<Named>();
  for (const [name, cost] of [
    ['endless', Infinity],
    ['dear', 9],
    ['cheap', 0],
    ['endless too', Infinity],
    ['cheap too', 0],
  ] as const)
    line.add(named(name, { cost }));
  expect(line.surplus()!.name).toBe('endless too');
  expect(all(line)).toBe('cheap cheap too dear endless endless too');
});
