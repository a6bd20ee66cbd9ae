import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../http/support.ts';
import { freePort } from '../support/freePort.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { buildImage, findObstacle, type Image } from './image.ts';

/** It installs a Debian and all packages. */
const BUILD_TIMEOUT_MS = 900_000;
const MOST_BYTES = 180e6;

const obstacle = findObstacle();
if (obstacle !== undefined) console.log(`skipped: the image is not built: ${obstacle}`);

describe.runIf(obstacle === undefined)('the image', () => {
  let image: Image;
  let sandbox: TestSandbox;
  beforeAll(async () => {
    [image, sandbox] = [buildImage(), await openSandbox()];
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    image[Symbol.dispose]();
    await sandbox.close();
  });

  test('takes at most 180 MB', () => {
    expect(image.bytes).toBeGreaterThan(0);
    expect(image.bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  test('runs as a user without rights, keeps its data in a volume, and says how it is', () => {
    expect(image.config).toMatchObject({ User: '1000:1000', Volumes: { '/data': {} } });
    expect(image.config.Healthcheck?.Test[0]).toBe('CMD');
  });

  test('serves from a read-only file system, is healthy, and ends with 0 when it is told to', async () => {
    const port = await freePort();
    const environment = {
      PORT: String(port),
      OPERATOR_PORT: 'off',
      RPC_URL: sandbox.url,
      SUBMITTER_SECRET: sandbox.account().secret(),
    };
    const service = image.start([], environment);
    onTestFinished(() => void service.kill('SIGKILL'));
    const ended = end(service);
    await expect.poll(() => isHealthy(port)).toBe(true);
    const [, ...check] = image.config.Healthcheck!.Test;
    expect(await end(image.run(check, environment))).toMatchObject({ code: 0 });
    service.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(await end(image.run(check, environment))).toMatchObject({ code: 1 });
  });

  test('runs its tools by their names', async () => {
    const { code, output } = await end(image.start(['demo']));
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Every claim above') });
  });
});

const isHealthy = (port: number): Promise<boolean> =>
  ask(`http://127.0.0.1:${port}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

async function end(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => (output += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}
