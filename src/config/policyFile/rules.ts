import type { AddressList, Decimal, PolicyRules } from '../../callers/index.ts';
import { baseAddress } from '../../stellar/addresses.ts';

/** The content of a policy file, as policy.schema.json describes it. */
export interface PolicyContent {
  readonly assets?: ListContent;
  readonly recipients?: ListContent;
  readonly payers?: ListContent;
  readonly amounts?: Readonly<
    Record<string, { least?: string; greatest?: string; stroopsPerBaseUnit?: string }>
  >;
  readonly leastTimesFee?: number;
  readonly check?: {
    readonly url: string;
    readonly timeoutMs?: number;
    readonly ifSilent: 'refuse' | 'accept';
  };
}

/** Exactly one of the two is there. */
interface ListContent {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Applies without a policy file. */
export const NO_RULES: PolicyRules = { amounts: new Map() };

const DEFAULT_TIMEOUT_MS = 1_000;

/** Expects content without problems. */
export function rulesOf(content: PolicyContent): PolicyRules {
  const { assets, recipients, payers, amounts = {}, leastTimesFee, check } = content;
  return {
    assets: assets && listOf(assets),
    recipients: recipients && listOf(recipients),
    payers: payers && listOf(payers),
    amounts: new Map(
      Object.entries(amounts).map(([asset, { least, greatest, stroopsPerBaseUnit }]) => [
        asset,
        {
          least: least === undefined ? undefined : BigInt(least),
          greatest: greatest === undefined ? undefined : BigInt(greatest),
          stroopsPerBaseUnit: stroopsPerBaseUnit === undefined ? undefined : decimalOf(stroopsPerBaseUnit),
        },
      ]),
    ),
    leastTimesFee,
    check: check && { timeoutMs: DEFAULT_TIMEOUT_MS, ...check },
  };
}

function listOf({ allow, deny = [] }: ListContent): AddressList {
  return {
    kind: allow === undefined ? 'deny' : 'allow',
    addresses: new Set((allow ?? deny).map(baseAddress)),
  };
}

function decimalOf(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), places: BigInt(fraction.length) };
}
