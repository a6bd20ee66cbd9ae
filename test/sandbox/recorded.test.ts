import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { playRecordings } from './recordings.ts';
import type { Played } from './recordings.ts';

const played = await playRecordings();
const of = (...files: string[]) => played.filter(({ file }) => files.includes(file));

/** The bound that estimates of resources and fees keep to the real host's figures. */
const TOLERANCE = 0.05;

/** What a recorded answer says that is the recording network's own, and why the sandbox differs. */
const NOT_COMPARED: Record<string, { fields: string[]; because: string }> = {
  getHealth: { fields: ['ledgerRetentionWindow'], because: 'the sandbox keeps its own span of history' },
  getVersionInfo: { fields: ['version', 'captiveCoreVersion'], because: 'these name the program' },
  getLatestLedger: {
    fields: ['id', 'headerXdr', 'metadataXdr'],
    because: 'ledger hashes are made up in both networks; the header carries them',
  },
  'FAILED or SUCCESS: the same authorization from two sources in one ledger': {
    fields: ['applicationOrder'],
    because: 'the sandbox applies transactions in order of arrival, the recording in order of hash',
  },
};
/** Sent again after it settled: public nodes answer DUPLICATE, the recording network had forgotten it. */
const SETTLED_AGAIN = 'ERROR txBadSeq, same transaction after its ledger closed';

function compared(name: string, result: object): object {
  const fields = NOT_COMPARED[name]?.fields ?? [];
  return Object.fromEntries(Object.entries(result).filter(([field]) => !fields.includes(field)));
}

function expectNear(found: number, recorded: number): void {
  expect(Math.abs(found - recorded)).toBeLessThanOrEqual(recorded * TOLERANCE);
}

test('every recorded scenario is played and compared below', () => {
  const files = ['read', 'simulate-record', 'simulate-enforce', 'simulate-v2', 'send', 'apply'];
  expect(of(...files.map((file) => `${file}.json`))).toHaveLength(played.length);
  expect(played.length).toBeGreaterThan(200);
});

describe('reading answers what the real host answered', () => {
  test.each(of('read.json'))('$name', ({ name, recorded, answer }) => {
    expect(answer.error?.code).toBe(recorded.response.error?.code);
    if (recorded.response.result) {
      expect(compared(name, answer.result)).toEqual(compared(name, recorded.response.result));
    }
  });
});

describe('simulation answers what the real host answered', () => {
  test.each(of('simulate-record.json', 'simulate-enforce.json', 'simulate-v2.json'))('$name', (scenario) => {
    const { recorded, answer } = scenario;
    expect(answer.error?.code).toBe(recorded.response.error?.code);
    if (!recorded.response.result) return;
    const [found, wanted] = [answer.result, recorded.response.result].map(simulationView);
    expect(found?.exact).toEqual(wanted?.exact);
    wanted?.estimates.forEach((estimate, index) => expectNear(found?.estimates[index] ?? NaN, estimate));
  });
});

/** Simulation's answer as values. Nonces that the host draws are replaced: they differ in every answer. */
function simulationView(result: any): { exact: unknown; estimates: number[] } {
  const { latestLedger, error, events } = result;
  if (error !== undefined) {
    return { exact: { latestLedger, error: String(error).split('\n')[0], events }, estimates: [] };
  }
  const data = xdr.SorobanTransactionData.fromXdr(result.transactionData, 'base64');
  const { footprint, instructions, diskReadBytes, writeBytes } = data.resources;
  const [{ auth, xdr: value }] = result.results;
  const entries = auth.map((entry: string) => xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64'));
  const exact = {
    ...{ latestLedger, events, value, footprint: footprint.toJson() },
    auth: entries.map((entry: xdr.SorobanAuthorizationEntry) => entry.toJson()),
    stateChanges: result.stateChanges.map(stateChangeView),
  };
  const nonce = entries.map(drawnNonce).find((found: bigint | undefined) => found !== undefined);
  const text = JSON.stringify(exact);
  return {
    exact: JSON.parse(nonce === undefined ? text : text.replaceAll(`"${nonce}"`, '"drawn"')),
    estimates: [
      Number(result.minResourceFee),
      Number(data.resourceFee),
      instructions,
      diskReadBytes,
      writeBytes,
    ],
  };
}

/** The nonce of an entry that was recorded: such an entry has no signature yet. */
function drawnNonce({ credentials }: xdr.SorobanAuthorizationEntry): bigint | undefined {
  if (
    credentials.type !== 'sorobanCredentialsAddress' &&
    credentials.type !== 'sorobanCredentialsAddressV2'
  ) {
    return undefined;
  }
  return credentials.value.signature.type === 'scvVoid' ? credentials.value.nonce : undefined;
}

/** An entry's data before and after; when it was last modified is filled in when a ledger stores it. */
function stateChangeView({ type, key, before, after }: any): unknown {
  const dataOf = (entry: string | null) => entry && xdr.LedgerEntry.fromXdr(entry, 'base64').data.toJson();
  return {
    type,
    key: xdr.LedgerKey.fromXdr(key, 'base64').toJson(),
    before: dataOf(before),
    after: dataOf(after),
  };
}

describe('submission answers what the real network answered', () => {
  test.each(of('send.json').filter((scenario) => scenario.name !== SETTLED_AGAIN))(
    '$name',
    ({ recorded, answer }) => {
      expect(answer.error?.code).toBe(recorded.response.error?.code);
      expect(answer.result).toEqual(recorded.response.result);
    },
  );

  test('a settled transaction sent again answers DUPLICATE', () => {
    const scenario = of('send.json').find(({ name }) => name === SETTLED_AGAIN);
    expect(scenario?.answer.result.status).toBe('DUPLICATE');
    expect(scenario?.answer.result.hash).toBe(scenario?.recorded.response.result.hash);
  });
});

describe('a ledger does what the real network did', () => {
  test.each(of('apply.json'))('$name', ({ name, recorded, ...found }: Played) => {
    const { send, getTransaction, getTransactionWhilePending, decoded } = recorded;
    expect(found.send.result.status).toBe(send.response.result.status);
    expect(found.statusWhilePending).toBe(getTransactionWhilePending);
    expect(found.balancesBefore).toEqual(decoded.balancesBefore);
    expect(found.balancesAfter).toEqual(decoded.balancesAfter);
    const [answer, wanted] = [found.answer.result, getTransaction.response.result].map((result) =>
      compared(name, result),
    );
    expect(transactionView(answer)).toEqual(transactionView(wanted));
    expect(answer).toEqual(wanted);
  });
});

/** Result and meta as values, for a readable difference. */
function transactionView({ status, ledger, feeBump, resultXdr, resultMetaXdr }: any): unknown {
  const result = xdr.TransactionResult.fromXdr(resultXdr, 'base64').toJson();
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr, 'base64').toJson();
  return { status, ledger, feeBump, result, meta };
}
