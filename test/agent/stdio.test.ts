import { spawn } from 'node:child_process';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';
import { AMOUNT } from '../support/payments.ts';
import { spawnAgent } from './support/agent.ts';
import { FORECAST, openSeller, sellHonestly, whenPaid } from './support/seller.ts';
import { newWallet, useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';
import { gate } from './support/waiting.ts';

const stage = useAgentStage({ ledgerMs: 400 });

/** The server in a process of its own, spoken to in lines. */
function start(environment: Record<string, string>, args: readonly string[] = []) {
  const env = { ...childEnvironment, ...environment };
  const child = spawn(process.execPath, ['dist/stellar-facilitator-mcp.js', ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const exit = new Promise<number | null>((done) => child.on('close', done));
  const send = (message: object) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
  const lines = (): any[] =>
    output.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const answerTo = async (id: number): Promise<any> => {
    await expect.poll(() => lines().some((line) => line.id === id)).toBe(true);
    return lines().find((line) => line.id === id);
  };
  const greet = async () => {
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    await answerTo(1);
    send({ method: 'notifications/initialized' });
  };
  const payFor = (url: string) =>
    send({ id: 2, method: 'tools/call', params: { name: 'paid_call', arguments: { url } } });
  return { child, output, exit, send, lines, answerTo, greet, payFor };
}

const wallet = () => newWallet(stage);

describe("the SDK's own client over stdio", () => {
  test('finds, calls, pays, gets the receipt, and failures as results', async () => {
    const { key, environment } = wallet();
    const agent = await spawnAgent(environment);
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'stellar-facilitator-mcp' });
    expect(agent.client.getInstructions()).toContain('search_resources');

    const seller = await openSeller(stage);
    await stage.list(
      { url: seller.url, description: 'stdioweather' },
      { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
    );
    const { structured: found } = await agent.search('stdioweather');
    const { isError, structured } = await agent.pay({ resourceId: found.resources[0].id });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({ paid: true, result: FORECAST, receipt: { payer: key.publicKey() } });

    const server = await openToolServer(stage);
    expect((await agent.pay({ url: server.url, toolName: TOOL })).structured).toMatchObject({ paid: true });
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - 2n * AMOUNT);
    expect(agent.stderr()).toContain('payment signed');
    expect(agent.stderr()).not.toContain(key.secret());

    // Failures are results.
    const failed = await agent.pay({});
    expect(failed).toMatchObject({ isError: true, structured: { errorCode: 'svc_mcp_invalid_arguments' } });
    const unknown = await agent.call('steal', {});
    expect(unknown).toMatchObject({ isError: true, structured: { errorCode: 'svc_mcp_invalid_arguments' } });
  });
});

describe('the process', () => {
  test('ends with 78 and a line for each fault of its configuration, and stdout stays empty', async () => {
    const secret = Keypair.random().secret();
    const { exit, output } = start({
      NETWORK: 'mainnet',
      SVC_MCP_SESSION_BUGDET: '5',
      FACILITATOR_URI: secret,
      SVC_MCP_MAX_AMOUNT: 'all',
      RPC_URL: `https://x/${secret}`,
    });
    expect(await exit).toBe(78);
    expect(output.stdout).toBe('');
    expect(
      output.stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['FACILITATOR_URI', 'SVC_MCP_SESSION_BUGDET', 'RPC_URL', 'NETWORK', 'SVC_MCP_MAX_AMOUNT']);
    expect(output.stderr).not.toContain(secret);
  });

  test('ends with 78 if the file of its budgets cannot be used, also when it is only checked', async () => {
    const environment = { SVC_MCP_BUDGET_FILE: '/nowhere/budget.db', SVC_MCP_DAILY_HOST_BUDGET: '5' };
    for (const args of [[], ['--check']]) {
      const { exit, output } = start(environment, args);
      expect(await exit).toBe(78);
      expect(output).toEqual({
        stdout: '',
        stderr: expect.stringMatching(/^SVC_MCP_BUDGET_FILE cannot be opened: .+\n$/),
      });
    }
  });

  test('writes nothing but the protocol to stdout, whatever comes in, and ends with 0 when stdin does', async () => {
    const { child, exit, greet, send, answerTo, lines } = start(stage.environment());
    await greet();
    child.stdin.write('no json\n{"jsonrpc":"1.0"}\n\n[]\n');
    send({ id: 3, method: 'nonsense' });
    expect(await answerTo(3)).toMatchObject({ error: { code: -32601 } });
    send({
      id: 4,
      method: 'tools/call',
      params: { name: 'paid_call', arguments: { url: 'http://127.0.0.1:1/' } },
    });
    expect(await answerTo(4)).toMatchObject({ result: { isError: true } });
    child.stdin.end();
    expect(await exit).toBe(0);
    expect(lines().every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  });

  test('ends at once with 0 on SIGTERM when nothing is under way', async () => {
    const { child, exit, greet } = start(wallet().environment);
    await greet();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  test('finishes a payment that is under way before it ends, and still answers it', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await opened;
        await sellHonestly(visit);
      }),
    );
    const { key, environment } = wallet();
    const { child, exit, greet, payFor, output, lines } = start(environment);
    await greet();
    payFor(seller.url);
    await expect.poll(() => seller.paid().length).toBe(1);
    child.stdin.end();
    child.kill('SIGTERM');
    await expect.poll(() => output.stderr).toContain('"stopping"');
    open();
    expect(await exit).toBe(0);
    expect(lines().find(({ id }) => id === 2)).toMatchObject({
      result: { structuredContent: { paid: true } },
    });
    expect(output.stderr).toMatch(/"status":"settled","transaction":"[0-9a-f]{64}".*"payment ended"/);
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - AMOUNT);
  });

  test('pays and answers also where nobody reads its log any more, and ends with 0 on SIGINT', async () => {
    const seller = await openSeller(stage);
    const { environment } = wallet();
    const { child, exit, greet, payFor, answerTo } = start(environment);
    await greet();
    child.stderr.destroy();
    payFor(seller.url);
    expect(await answerTo(2)).toMatchObject({ result: { structuredContent: { paid: true } } });
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  });

  test('has each payment on record before it is sent, for when it is killed', async () => {
    const seller = await openSeller(
      stage,
      whenPaid(() => {}),
    );
    const { key, environment } = wallet();
    const { child, exit, greet, payFor, output } = start(environment);
    await greet();
    payFor(seller.url);
    await expect.poll(() => seller.paid().length).toBe(1);
    child.kill('SIGKILL');
    await exit;
    const signed = output.stderr.split('\n').find((line) => line.includes('"payment signed"'))!;
    expect(JSON.parse(signed)).toMatchObject({
      payer: key.publicKey(),
      payTo: stage.payTo,
      amount: String(AMOUNT),
      nonce: expect.stringMatching(/^\d+$/),
      validUntilLedger: expect.any(Number),
    });
    expect(output.stderr).not.toContain(key.secret());
  });
});
