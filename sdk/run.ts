import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { FilledService } from '../test/support/filledService.ts';
import { execute, executeAll } from './execute.ts';
import { openRelay } from './relay.ts';
import type { Toolchain } from './toolchains.ts';

export interface Outcome {
  toolchain: Toolchain;
  /** Of the generator. */
  version: string;
  result: 'ok' | 'FAILED' | `skipped, needs ${string}`;
  /** The output of what failed. */
  why?: string;
  /** How many the generator and the compiler gave that our contract causes; not there when they did not end. */
  warnings?: number;
  seconds: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Generates, compiles and tries one client, in a copy of its folder that stays until the next run; skips it where
 * something is `missing`.
 */
export async function run(toolchain: Toolchain, missing: string, service: FilledService): Promise<Outcome> {
  const start = performance.now();
  const version = await pinnedVersion(toolchain);
  const ending: Ending = missing
    ? { result: `skipped, needs ${missing}` }
    : await attempt(toolchain, service, await freshFolder(toolchain));
  return { toolchain, version, ...ending, seconds: (performance.now() - start) / 1000 };
}

type Ending = Pick<Outcome, 'result' | 'why' | 'warnings'>;

/** Where a toolchain's client is kept, as a path inside the repository. */
export const keptIn = ({ name }: Toolchain): string => join('build', 'sdk', name);

async function freshFolder(toolchain: Toolchain): Promise<string> {
  const folder = join(root, keptIn(toolchain));
  await rm(folder, { recursive: true, force: true });
  await cp(folderOf(toolchain), folder, { recursive: true });
  await cp(join(root, 'openapi.yaml'), join(folder, 'openapi.yaml'));
  return folder;
}

async function attempt(toolchain: Toolchain, service: FilledService, folder: string): Promise<Ending> {
  const installed = await executeAll(toolchain.install, folder);
  if (!installed.ok) return { result: 'FAILED', why: installed.output };
  const built = await executeAll(toolchain.build, folder);
  if (!built.ok) return { result: 'FAILED', why: built.output };

  const warnings = warningsIn(built.output, toolchain);
  if (warnings.length > 0) return { result: 'FAILED', why: warnings.join('\n'), warnings: warnings.length };
  const failure = await findFailure(toolchain, folder, service);
  return failure === undefined
    ? { result: 'ok', warnings: 0 }
    : { result: 'FAILED', why: failure, warnings: 0 };
}

/** What to install, where programs that are needed are not there or not new enough; else empty. */
export async function findMissing({ needs }: Toolchain): Promise<string> {
  const missing: string[] = [];
  for (const { command, answer, install } of needs) {
    const { output } = await execute(command, root);
    if (!answer.test(output)) missing.push(install);
  }
  return missing.join(' and ');
}

const warningsIn = (output: string, { notOurs }: Toolchain): string[] =>
  output.split('\n').filter((line) => /warn/i.test(line) && !notOurs.some((known) => known.test(line)));

/** The round trip, and whether the service was sent the payment as the buyer gave it. */
async function findFailure(
  { name, roundTrip }: Toolchain,
  folder: string,
  service: FilledService,
): Promise<string | undefined> {
  await using relay = await openRelay(service.url);
  const payment = withFurtherFields(await service.payment(name.replaceAll('-', ' ')));
  await writeFile(join(folder, 'payment.json'), JSON.stringify(payment));
  const { ok, output } = await execute(roundTrip, folder, {
    FACILITATOR_URL: relay.url,
    FACILITATOR_KEY: service.key!,
  });
  if (!ok) return output;
  const sent = relay.settled();
  if (isDeepStrictEqual(withoutNulls(sent), payment)) return undefined;
  return `The client changed the payment.\nIt was   ${JSON.stringify(payment)}\nand sent ${JSON.stringify(sent)}`;
}

type Payment = Awaited<ReturnType<FilledService['payment']>>;

/** Further fields wherever the contract allows them: a client must pass them on. */
function withFurtherFields({ paymentPayload, paymentRequirements, ...request }: Payment): object {
  const { accepted, payload, resource, extensions, ...rest } = paymentPayload;
  const further = { note: { text: 'as it came', parts: [1, 'two', true] } };
  return {
    ...request,
    paymentPayload: {
      ...rest,
      accepted: { ...accepted, further },
      payload: { ...payload, further },
      resource: { ...resource, further },
      extensions: { ...extensions, further },
      further,
    },
    paymentRequirements: { ...paymentRequirements, further },
    further,
  };
}

/** Some clients write null for a field that may hold anything and is not there; to the service that is the same. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null', (_, field: unknown) => field ?? undefined) as unknown;
}

async function pinnedVersion(toolchain: Toolchain): Promise<string> {
  const { file, version } = toolchain.pinned;
  const pinned = version.exec(await readFile(join(folderOf(toolchain), file), 'utf8'))?.[1];
  if (pinned === undefined) throw new Error(`${toolchain.name}/${file} pins no ${toolchain.generator}`);
  return pinned;
}

function folderOf({ name }: Toolchain): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
