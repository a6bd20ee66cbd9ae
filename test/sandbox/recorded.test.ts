import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { PROTOCOLS } from '../../sandbox/host/instance.ts';
import { playRecordings, type Played } from './recordings.ts';

/** The protocol of the recording; the other one answers the same, but for its number. */
const RECORDED_PROTOCOL = 30;

/** What a recorded answer says that is the recording network's own, and why the sandbox differs. */
const NOT_COMPARED: Record<string, { fields: string[]; because: string }> = {
  getHealth: { fields: ['ledgerRetentionWindow'], because: 'the sandbox keeps its own span of history' },
  getVersionInfo: { fields: ['version', 'captiveCoreVersion'], because: 'these name the program' },
  getLatestLedger: {
    fields: ['id', 'headerXdr', 'metadataXdr'],
    because: 'ledger hashes are made up in both networks; the header carries them',
  },
};
/** Sent again after it settled: public nodes answer DUPLICATE, the recording network had forgotten it. */
const SETTLED_AGAIN = 'ERROR txBadSeq, same transaction after its ledger closed';

function compared(name: string, result: object): object {
  const fields = NOT_COMPARED[name]?.fields ?? [];
  return Object.fromEntries(Object.entries(result).filter(([field]) => !fields.includes(field)));
}

describe.each(PROTOCOLS)('under protocol %i', async (protocol) => {
  const played = await playRecordings(protocol);
  const of = (...files: string[]) => played.filter(({ file }) => files.includes(file));
  const inThisProtocol = ({ protocolVersion, ...result }: any) =>
    protocolVersion === RECORDED_PROTOCOL
      ? { ...result, protocolVersion: protocol }
      : { ...result, ...(protocolVersion && { protocolVersion }) };

  test('every recorded scenario is played and compared below', () => {
    const files = ['read', 'simulate-record', 'simulate-enforce', 'simulate-v2', 'send', 'apply'];
    expect(of(...files.map((file) => `${file}.json`))).toHaveLength(played.length);
    expect(played.length).toBeGreaterThan(200);
  });

  describe('reading answers what the real host answered', () => {
    test.each(of('read.json'))('$name', ({ name, recorded, answer }) => {
      expect(answer.error?.code).toBe(recorded.response.error?.code);
      if (recorded.response.result) {
        expect(compared(name, answer.result)).toEqual(
          compared(name, inThisProtocol(recorded.response.result)),
        );
      }
    });
  });

  describe('simulation answers what the real host answered', () => {
    const scenarios = of('simulate-record.json', 'simulate-enforce.json', 'simulate-v2.json');
    test.each(scenarios)('$name', ({ recorded, answer }) => {
      expect(answer.error?.code).toBe(recorded.response.error?.code);
      if (!recorded.response.result) return;
      expect(simulationView(answer.result)).toEqual(simulationView(recorded.response.result));
    });
  });

  describe('submission answers what the real network answered', () => {
    const scenarios = of('send.json').filter(({ name }) => name !== SETTLED_AGAIN);
    test.each(scenarios)('$name', ({ recorded, answer }) => {
      expect(answer.error?.code).toBe(recorded.response.error?.code);
      expect(answer.result).toEqual(recorded.response.result);
    });

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
});

/** Simulation's answer as values. Nonces that the host draws are replaced: they differ in every answer. */
function simulationView(result: any): unknown {
  if (result.error !== undefined) return result;
  const data = xdr.SorobanTransactionData.fromXdr(result.transactionData, 'base64').toJson();
  const [{ auth, xdr: value }] = result.results;
  const entries = auth.map((entry: string) => xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64'));
  const view = {
    ...{ ...result, transactionData: data, results: value },
    auth: entries.map((entry: xdr.SorobanAuthorizationEntry) => entry.toJson()),
    stateChanges: result.stateChanges.map(stateChangeView),
  };
  const nonce = entries.map(drawnNonce).find((found: bigint | undefined) => found !== undefined);
  const text = JSON.stringify(view);
  return JSON.parse(nonce === undefined ? text : text.replaceAll(`"${nonce}"`, '"drawn"'));
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

function stateChangeView({ type, key, before, after }: any): unknown {
  const entryOf = (entry: string | null) => entry && xdr.LedgerEntry.fromXdr(entry, 'base64').toJson();
  return {
    type,
    key: xdr.LedgerKey.fromXdr(key, 'base64').toJson(),
    before: entryOf(before),
    after: entryOf(after),
  };
}

/** Result and meta as values, for a readable difference. */
function transactionView({ status, ledger, feeBump, resultXdr, resultMetaXdr }: any): unknown {
  const result = xdr.TransactionResult.fromXdr(resultXdr, 'base64').toJson();
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr, 'base64').toJson();
  return { status, ledger, feeBump, result, meta };
}
