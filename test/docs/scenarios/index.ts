import type { Scenario } from '../scenario.ts';
import { overHttp } from './agents.ts';
import { callerKeys, strangers } from './callers.ts';
import { endpoints } from './endpoints.ts';
import { hosts } from './hosts.ts';
import { instances } from './instances.ts';
import { hiding, listing, lostAnswer, ownFacilitator, receipt, sale } from './market.ts';
import { lookingAfter, operating, readmeAccounts } from './operating.ts';
import { pubnet } from './pubnet.ts';
import { diagrams, policies, runByCi } from './read.ts';
import { receiver } from './receiver.ts';

/** Those that take a moment. */
export const QUICK: readonly Scenario[] = [policies, diagrams, runByCi, receiver, hosts];

/** Those that start programs as a reader does. */
export const LONG: readonly Scenario[] = [
  ...[endpoints, sale, listing, lostAnswer, ownFacilitator, receipt, hiding, overHttp, callerKeys],
  ...[readmeAccounts, operating, lookingAfter, strangers, pubnet, instances],
];
