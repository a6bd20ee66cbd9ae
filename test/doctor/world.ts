/** A sandbox network, and sellers on it that the command examines. */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest';
import { ABOUT } from '../interop/bazaarDeclarations.ts';
import { openShop, type Shop } from '../interop/bazaarShop.ts';
import { runInside } from '../support/cli.ts';
import { NETWORK, USDC } from '../support/playedNetwork.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator } from '../support/service.ts';
import { playSeller, requiredHeader } from './seller.ts';

interface Finding {
  check: string;
  status: string;
  text: string;
  mend?: string;
  code?: string;
}

const CODES = { fine: 0, unpaid: 1, unlisted: 2, unchecked: 3 };

export type Content = Record<string, any>;

/** Opens a sandbox for all tests of a file. */
export function doctorWorld() {
  let sandbox: TestSandbox;
  let payTo: string;
  beforeAll(async () => {
    sandbox = await openSandbox();
    payTo = sandbox.account(0n).publicKey();
  });
  afterEach(() => sandbox.faults.clear());
  afterAll(() => sandbox.close());

  /** Examines a URL. Returns the verdict, and what is not ok. */
  async function examine(url: string, args: string[] = [], environment = {}) {
    const { code, stdout } = await runInside(['doctor', url, '--json', ...args], {
      RPC_URL: sandbox.url,
      ...environment,
    });
    const { verdict, findings } = JSON.parse(stdout) as { verdict: keyof typeof CODES; findings: Finding[] };
    expect(code).toBe(CODES[verdict]);
    return { verdict, findings, wrong: findings.filter(({ status }) => status !== 'ok') };
  }

  const termsFor = (changes: object = {}): Content => ({
    scheme: 'exact',
    network: NETWORK,
    asset: USDC,
    amount: '100000',
    payTo,
    maxTimeoutSeconds: 60,
    extra: { areFeesSponsored: true },
    ...changes,
  });

  /** A 402 without a defect, but for the changes. */
  const contentFor = (url: string, { terms = {}, resource = {}, ...changes }: Content = {}): Content => ({
    x402Version: 2,
    accepts: [termsFor(terms as object)],
    resource: { url, ...ABOUT, ...resource },
    extensions: {
      bazaar: { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
    },
    ...changes,
  });

  const sellerOf = (changes?: Content): Promise<string> =>
    playSeller((url) => ({ headers: requiredHeader(contentFor(url, changes)) }));

  /** Examines a seller with one defect, and expects one finding that is not ok. */
  async function defectOf(changes: Content): Promise<Finding & { verdict: string }> {
    const { verdict, wrong } = await examine(await sellerOf(changes));
    expect(wrong).toHaveLength(1);
    return { verdict, ...wrong[0]! };
  }

  /** A seller on the stock packages, and its facilitator. */
  async function openStockShop(): Promise<Shop> {
    const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()] });
    onTestFinished(() => facilitator.close());
    const extensions = declareDiscoveryExtension({ input: { city: 'Lisbon' } });
    const shop = await openShop(
      { sandbox, facilitatorUrl: facilitator.url },
      { 'GET /weather': { ...ABOUT, extensions } },
    );
    onTestFinished(() => shop.close());
    return shop;
  }

  return {
    get sandbox() {
      return sandbox;
    },
    /** Whom the sellers name, unless told otherwise: an account with a trustline. */
    get payTo() {
      return payTo;
    },
    examine,
    termsFor,
    contentFor,
    sellerOf,
    defectOf,
    openStockShop,
  };
}
