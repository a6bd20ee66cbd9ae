/** A seller, a buyer and an agent, each by their own page, on the local network that the README starts. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished } from 'vitest';
import { block, said } from '../blocks.ts';
import { changed } from '../changed.ts';
import { openReader, type Ended, type Reader, type Running } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { shapeOf } from '../shape.ts';
import { fill } from '../substitutions.ts';

const START = block('README.md', 'Run it', 'sh');
export const SELLER = block('docs/seller.md', 'With the stock packages', 'js');
export const BUYER = block('docs/buyer.md', 'With the stock packages', 'js');
export const BUY = block('docs/buyer.md', 'With the stock packages', 'sh');

const HIDE = said('docs/seller.md', 'PAY_TO_SECRET=S… node listing.mjs');
const KEYS = 'curl http://127.0.0.1:4021/.well-known/jwks.json -o keys.json';
const CHECK = 'npx stellar-facilitator verify-receipt receipt.jws keys.json';
const START_SELLER = said('docs/seller.md', 'PAY_TO=G… node seller.mjs');

/** Starts the seller's program, and waits until it says that it sells. */
export async function sell(
  reader: Reader,
  program: string,
  payTo: string,
  command = START_SELLER,
): Promise<Running> {
  reader.write('seller.mjs', program);
  const seller = reader.start(fill(command, { 'G…': payTo }));
  await seller.shows(/^sells http:/m);
  return seller;
}

/** Runs the buyer's program with the wallet of `secret`. */
export function buy(reader: Reader, program: string, command: string, secret: string): Promise<Ended> {
  reader.write('buyer.mjs', program);
  const trusting = command.replace(/(?<=\bNODE_EXTRA_CA_CERTS=)\S+/, reader.certificate);
  return reader.start(fill(trusting, { 'S…': secret })).ended;
}

export const sale = scenario({
  rule: 'the seller’s program sells what the buyer’s program buys, and both say what happens',
  blocks: { start: START, seller: SELLER, buyer: BUYER, buy: BUY },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    reader.write('seller.mjs', text.seller);
    const withoutAddress = await reader.start('node seller.mjs').ended;
    expect(withoutAddress).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('set PAY_TO'),
    });

    await reader.serve(text.start);
    const payTo = sandbox.account(0n).publicKey();
    const seller = await sell(reader, text.seller, payTo);
    const second = await reader.start(fill(START_SELLER, { 'G…': payTo })).ended;
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('EADDRINUSE') });

    const wallet = sandbox.account();
    const bought = await buy(reader, text.buyer, text.buy, wallet.secret());
    expect(bought).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 .*sunny[^]*success: true/) });
    expect(sandbox.usdc(payTo)).toBe(100_000n);
    const poor = await buy(reader, text.buyer, text.buy, sandbox.account(1n).secret());
    expect(poor).toMatchObject({ code: 1, stderr: expect.stringContaining('Stellar simulation failed') });

    // What the facilitator does not settle, and what it refuses.
    sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txSorobanInvalid' });
    const unsettled = await buy(reader, text.buyer, text.buy, wallet.secret());
    expect(unsettled.stdout).toMatch(/^402 [^]*success: false/);
    sandbox.faults.clear();
    await seller.stop();
    await sell(
      reader,
      text.seller,
      sandbox.network.contractAccount(sandbox.keyWithoutAccount().rawPublicKey()),
    );
    const refused = await buy(reader, text.buyer, text.buy, wallet.secret());
    expect(refused.stdout).toMatch(/^402 [^]*not served: invalid_exact_stellar_payload_fee_exceeds_maximum/);
  },
});

export const listing = scenario({
  rule: 'what the seller’s page lists, the buyer’s page finds and buys, and so does the agent of its page',
  blocks: {
    start: START,
    seller: SELLER,
    listing: block('docs/seller.md', 'Be listed', 'js'),
    outcome: block('docs/seller.md', 'See the outcome', ''),
    buyer: BUYER,
    buy: BUY,
    find: block('docs/buyer.md', 'Find something to buy', 'js'),
    host: block('docs/agent.md', 'Set it up', 'json'),
    paidCall: block('docs/agent.md', 'The tools', 'json'),
    inspect: block('docs/agent.md', 'Set it up', 'sh'),
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    await reader.serve(text.start);
    const [payTo, wallet] = [sandbox.account(0n).publicKey(), sandbox.account()];

    const listed = changed(text.seller, text.listing);
    const wrong = fill(listed, {
      "output: { example: { city: 'Lisbon', weather: 'sunny', celsius: 21 } }": 'output: { example: [] }',
    });
    await (await rejected(reader, wrong, text, payTo)).stop();
    const seller = await sell(reader, listed, payTo);
    await buy(reader, text.buyer, text.buy, wallet.secret());
    await seller.shows(/^\{"bazaar":\{"status":"success"/m);

    reader.write('find.mjs', text.find);
    const { stdout } = await reader.run('node find.mjs');
    const address = reader.meant('http://127.0.0.1:4030/weather?city=Lisbon');
    expect(stdout).toBe(`GET ${address}\n`);
    const pays = said('docs/buyer.md', 'wrapFetchWithPayment(fetch, client)(url, request)');
    const found = fill(text.buyer, {
      "wrapFetchWithPayment(fetch, client)('http://127.0.0.1:4030/weather')": pays,
    });
    const before = sandbox.usdc(payTo);
    const bought = await buy(reader, `${text.find}\n${found}`, text.buy, wallet.secret());
    expect(bought).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 .*Lisbon.*sunny.*21/m) });
    expect(sandbox.usdc(payTo)).toBe(before + 100_000n);

    // The tool's own package looks for a package.json above the folder that it is started in.
    const inspect = fill(text.inspect, {
      'npx -y @modelcontextprotocol/inspector ':
        'cd src && node ../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js ',
    });
    const inspected = await reader.run(inspect.replaceAll('/path/to/folder', reader.folder));
    expect(inspected.stdout).toContain(address.replace(/\?.*/, ''));

    const answer = await askAgent(reader, text.host);
    expect(shapeOf(answer)).toMatchObject(shapeOf(JSON.parse(text.paidCall)) as object);
    expect(sandbox.usdc(payTo)).toBe(before + 200_000n);
  },
});

export const ownFacilitator = scenario({
  rule: 'the seller of the page settles its own payments, with the facilitator in its process',
  blocks: {
    seller: SELLER,
    own: block('docs/seller.md', 'Be your own facilitator', 'js'),
    buyer: BUYER,
    buy: BUY,
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    await reader.run(`export SUBMITTER_SECRET=${sandbox.submitter().secret()}`);
    const payTo = sandbox.account(0n).publicKey();
    const start = `PAY_TO=G… ${said('docs/seller.md', 'npx node seller.mjs')}`;
    await sell(reader, changed(text.seller, text.own), payTo, start);
    const bought = await buy(reader, text.buyer, text.buy, sandbox.account().secret());
    expect(bought).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 .*sunny/) });
    expect(sandbox.usdc(payTo)).toBe(100_000n);
    const { stdout } = await reader.run(said('docs/seller.md', 'npx stellar-facilitator payments'));
    expect(stdout).toContain('0.01');
  },
});

export const lostAnswer = scenario({
  rule: 'the patient seller of the page delivers, and is paid once, although the facilitator ends meanwhile',
  blocks: {
    seller: SELLER,
    key: block('docs/seller.md', 'With the stock packages', 'js', 2),
    patient: block('docs/seller.md', 'If an answer is lost', 'js'),
    buyer: BUYER,
    buy: BUY,
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    const { stdout: made } = await reader.run('npx stellar-facilitator keys create --name acme');
    await reader.run(`export FACILITATOR_KEY=${made.trim()}`);
    const start = `CALLERS=keys SUBMITTER_SECRET=${sandbox.submitter().secret()} npx stellar-facilitator`;
    const service = await reader.serve(start);
    const payTo = sandbox.account(0n).publicKey();
    // “And your createAuthHeaders”: the options of the block before, for the class of this one.
    const [, options = ''] = /HTTPFacilitatorClient\((\{[^]+?\n\})\);/.exec(text.key)!;
    const patient = fill(text.patient, {
      "new PatientClient({ url: 'http://127.0.0.1:4021' })": `new PatientClient(${options})`,
      'class PatientClient': `${/^const headers = .+$/m.exec(text.key)![0]}\nclass PatientClient`,
    });
    await sell(reader, changed(text.seller, patient), payTo);
    sandbox.stopLedgers();
    const buying = buy(reader, text.buyer, text.buy, sandbox.account().secret());
    await expect
      .poll(() => sandbox.calls.counts()['sendTransaction'], { timeout: 30_000 })
      .toBeGreaterThan(0);
    await service.stop();
    sandbox.faults.clear();
    await reader.serve(start);
    expect(await buying).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 .*sunny/) });
    expect(sandbox.usdc(payTo)).toBe(100_000n);
  },
});

export const receipt = scenario({
  rule: 'the seller’s page checks the receipt that the buyer got, and so does the command',
  blocks: {
    seller: SELLER,
    keep: block('docs/seller.md', 'Keep a receipt', 'js'),
    check: block('docs/seller.md', 'Keep a receipt', 'js', 2),
    buyer: BUYER,
    buy: BUY,
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    const settings = `RECEIPT_SECRET=$(openssl rand -base64 32) SUBMITTER_SECRET=${sandbox.submitter().secret()}`;
    await reader.serve(`${settings} npm start`);
    await reader.run(said('docs/seller.md', KEYS));
    const payTo = sandbox.account(0n).publicKey();
    const keeping = `import { writeFileSync } from 'node:fs';\n${text.seller}\n${text.keep}`;
    await sell(reader, keeping, payTo);
    const { stdout: bought } = await buy(reader, text.buyer, text.buy, sandbox.account().secret());
    const [, jws = ''] = /jws:\s*'([^']+)'/.exec(bought) ?? [];
    expect(reader.read('receipt.jws')).toBe(jws);

    reader.write('check.mjs', text.check);
    expect((await reader.run('node check.mjs')).stdout).toContain(`payTo: '${payTo}'`);
    const { stdout } = await reader.run(said('docs/seller.md', CHECK));
    expect(JSON.parse(stdout)).toMatchObject({ payTo, amount: '100000' });
    reader.write(
      'receipt.jws',
      jws.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    );
    expect((await reader.run('node check.mjs')).stdout).toBe('forged\n');
    expect(await reader.start(CHECK).ended).toMatchObject({ code: 1, stdout: '' });
  },
});

export const hiding = scenario({
  rule: 'the seller’s page hides its listing, shows it again, describes it, and reads what was settled',
  blocks: {
    seller: SELLER,
    listing: block('docs/seller.md', 'Be listed', 'js'),
    hiding: block('docs/seller.md', 'Hide or describe it, and see what was settled', 'js'),
    buyer: BUYER,
    buy: BUY,
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    const settings = `LISTING_OPERATIONS=http://127.0.0.1:4021 SUBMITTER_SECRET=${sandbox.submitter().secret()}`;
    await reader.serve(`${settings} npm start`);
    const owner = sandbox.account(0n);
    const seller = await sell(reader, changed(text.seller, text.listing), owner.publicKey());
    await buy(reader, text.buyer, text.buy, sandbox.account().secret());
    await seller.shows(/^\{"bazaar":\{"status":"success"/m);

    reader.write('listing.mjs', text.hiding);
    const { stdout } = await reader.run(fill(HIDE, { 'S…': owner.secret() }));
    const [settled, ...states] = stdout.trim().split('\n').toReversed();
    expect(states.toReversed()).toEqual(
      ['hidden', 'shown', 'shown', 'shown'].map((status) => `200 {"status":"${status}"}`),
    );
    expect(settled).toMatch(/^200 \{"settlements":\[\{"transaction":"[0-9a-f]{64}"/);
  },
});

/** Sells with a declaration that the facilitator rejects: its outcome is the one that the page shows. */
async function rejected(
  reader: Reader,
  program: string,
  text: { outcome: string; buyer: string; buy: string },
  payTo: string,
): Promise<Running> {
  const seller = await sell(reader, program, payTo);
  await buy(reader, text.buyer, text.buy, reader.sandbox.account().secret());
  const [line] = await seller.shows(/^\{"bazaar":\{"status":"rejected".*$/m);
  const shown = JSON.parse(text.outcome) as { bazaar: { rejectedReason: string } };
  const [begin = ''] = shown.bazaar.rejectedReason.split('…');
  shown.bazaar.rejectedReason = expect.stringContaining(begin) as string;
  expect(JSON.parse(line)).toEqual(shown);
  return seller;
}

/** The configuration that hosts of agents read, started as they do: finds and pays. Returns what the paid call answered. */
async function askAgent(reader: Reader, configuration: string): Promise<unknown> {
  const here = configuration.replaceAll('/path/to/folder', reader.folder);
  const filled = fill(here, { 'S…': reader.sandbox.account().secret() });
  const { mcpServers } = JSON.parse(reader.meant(filled)) as {
    mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>;
  };
  const [host] = Object.values(mcpServers);
  // “On the local network, set RPC_URL to the network's address.”
  const env = { PATH: reader.path, RPC_URL: reader.sandbox.url, ...host!.env };
  const client = new Client({ name: 'test-host', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ ...host!, env, cwd: reader.folder, stderr: 'ignore' }));
  const call = async (name: string, args: Record<string, unknown>): Promise<any> =>
    (await client.callTool({ name, arguments: args })).structuredContent;
  const { resources } = await call('search_resources', { query: 'What will the weather be like tomorrow?' });
  return call('paid_call', { resourceId: resources[0].id, input: { city: 'Porto' }, maxAmount: '150000' });
}
