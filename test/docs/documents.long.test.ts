import { test } from 'vitest';
import { play } from './scenario.ts';
import { LONG } from './scenarios/index.ts';

const LIMIT_MS = 120_000;

test.each(LONG)('$rule', { timeout: LIMIT_MS }, (one) => play(one));
