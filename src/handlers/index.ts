import type { Config } from '../config.ts';
import type { Handlers } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { createGetHealth } from './getHealth.ts';
import { createGetSupported } from './getSupported.ts';
import { createSettlePayment } from './settlePayment.ts';
import { createVerifyPayment } from './verifyPayment.ts';

export interface HandlerDeps {
  scheme: Scheme;
  config: Config;
  boundPort: () => number;
}

/** One handler per served operation of the contract. */
export function createHandlers({ scheme, config, boundPort }: HandlerDeps): Handlers {
  return {
    verifyPayment: createVerifyPayment(scheme),
    settlePayment: createSettlePayment(scheme),
    getSupported: createGetSupported(scheme),
    getHealth: createGetHealth({ scheme, config, boundPort }),
  };
}
