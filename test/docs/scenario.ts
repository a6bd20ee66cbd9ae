/** A reader's way through blocks of the documents. */
import { expect } from 'vitest';
import type { Block } from './blocks.ts';

export interface Scenario<Name extends string = string> {
  /** What holds if the blocks work: the name of the test. */
  rule: string;
  blocks: Record<Name, Block>;
  /** Uses the text of each block. */
  play(text: Record<Name, string>): Promise<void> | void;
}

/** Keeps the names of the blocks together with what uses them. */
export const scenario = <Name extends string>(one: Scenario<Name>): Scenario => one;

/** Plays it. Fails, too, if a block was claimed and not looked at. */
export async function play({ blocks, play: playIt }: Scenario): Promise<void> {
  const read = new Set<string>();
  const text = Object.fromEntries(Object.entries(blocks).map(([name, one]) => [name, one.text]));
  const watched = new Proxy(text, {
    get: (target, name: string) => {
      read.add(name);
      return target[name];
    },
  });
  await playIt(watched);
  expect([...read].toSorted()).toEqual(Object.keys(blocks).toSorted());
}
