import type { Scenario } from '../scenario.ts';
import { listing, sale } from './market.ts';

/** Those that start programs as a reader does. */
export const LONG: readonly Scenario[] = [sale, listing];
