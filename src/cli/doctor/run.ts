import { hiddenTexts } from '../../config/hiddenTexts.ts';
import { readRpcUrls } from '../../config/rpcUrls.ts';
import {
  buyOnce,
  DOCTOR_LIMITS,
  examineSeller,
  verdictOf,
  type ExamineDeps,
  type Finding,
  type Purse,
  type Verdict,
} from '../../doctor/index.ts';
import { withoutHidden } from '../../log/log.ts';
import { createOutgoing } from '../../net/outgoing.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { VERSION } from '../../process/version.ts';
import type { Network } from '../../stellar/networks.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { wrongConfiguration } from '../failure.ts';
import { printable, printableJson } from '../printable.ts';
import { readPurse } from './purse.ts';

export interface DoctorOrder {
  readonly url: URL;
  readonly method: string;
  /** The most that one real payment may cost, in base units; undefined to make none. */
  readonly mostBaseUnits: bigint | undefined;
  readonly json: boolean;
}

const MARKS = {
  ok: 'ok       ',
  warn: 'warn     ',
  unlisted: 'UNLISTED ',
  unchecked: 'UNCHECKED',
  unpaid: 'UNPAID   ',
};

const EXITS: Record<Verdict, number> = { fine: 0, unpaid: EXIT_FAILED, unlisted: 2, unchecked: 3 };

const WORDS: Record<Verdict, string> = {
  fine: 'It would be paid and, once it is, listed.',
  unpaid: 'It would not be paid: fix the lines marked UNPAID.',
  unlisted: 'It would be paid, but not listed: fix the lines marked UNLISTED.',
  unchecked: 'Could not tell whether it would be paid. Fix the lines marked UNCHECKED.',
};

/** Examines a seller, and shows what is found. Returns the exit code, or throws a Failure. */
export async function runDoctor(
  { url, method, mostBaseUnits, json }: DoctorOrder,
  { environment, terminal: { say } }: Context,
): Promise<number> {
  const purse = mostBaseUnits === undefined ? undefined : readPurse(environment, mostBaseUnits);
  const outgoing = createOutgoing({
    userAgent: `stellar-facilitator-doctor/${VERSION}`,
    maxConnections: 1,
    connectTimeoutMs: DOCTOR_LIMITS.connectTimeoutMs,
    maxHeaderBytes: DOCTOR_LIMITS.maxHeaderBytes,
    silenceTimeoutMs: DOCTOR_LIMITS.paidTimeoutMs,
  });
  const secrets = purse === undefined ? [] : [purse.payerSecret];
  const findings: Finding[] = [];
  const rpc = rpcIn(environment);
  // People name the URL themselves, and most often a seller of their own: any address may be asked.
  const deps = { fetch: outgoing.fetch, reach: 'any', limits: DOCTOR_LIMITS, rpcUrls: rpc.urls } as const;
  try {
    for await (const found of examineAndBuy(deps, { url, method }, purse)) {
      const finding = { ...found, text: withoutHidden(found.text, [...rpc.hidden(), ...secrets]) };
      findings.push(finding);
      if (!json) say(linesOf(finding));
    }
  } finally {
    await outgoing.close();
  }
  const verdict = verdictOf(findings);
  say(json ? printableJson({ url: url.href, method, verdict, findings }) : WORDS[verdict]);
  return EXITS[verdict];
}

async function* examineAndBuy(
  deps: ExamineDeps,
  asked: { url: URL; method: string },
  purse: Purse | undefined,
): AsyncGenerator<Finding> {
  const findings: Finding[] = [];
  const examining = examineSeller(deps, asked);
  let step = await examining.next();
  for (; !step.done; step = await examining.next()) {
    findings.push(step.value);
    yield step.value;
  }
  const examined = step.value;
  if (purse === undefined) return;
  if (['unpaid', 'unchecked'].includes(verdictOf(findings)))
    yield { check: 'payment', status: 'warn', text: 'was not made: first fix the marked lines' };
  else yield await buyOnce(deps, asked, { examined, purse });
}

function linesOf({ check, status, text, code, mend }: Finding): string {
  const line = `${MARKS[status]} ${check}: ${text}${code === undefined ? '' : ` (${code})`}`;
  const lines = mend === undefined ? [line] : [line, `${' '.repeat(MARKS[status].length)} → ${mend}`];
  return lines.map(printable).join('\n');
}

/** Reads the RPC that the environment names. */
function rpcIn(environment: ProcessEnvironment) {
  const known = new Set<string>();
  const text = environment['RPC_URL']?.trim();
  return {
    /** Throws a Failure if there is none for a network. */
    urls(network: Network): string[] {
      const problems: { variable: string; text: string }[] = [];
      const urls = readRpcUrls(text ? { RPC_URL: text } : {}, network, (variable, problem) =>
        problems.push({ variable, text: problem }),
      );
      if (problems.length > 0) throw wrongConfiguration(problems);
      for (const url of urls) known.add(url);
      return urls;
    },
    /** Returns the parts of URLs that may be a provider's key. */
    hidden: () =>
      hiddenTexts(
        { rpcUrls: [...known], tracing: undefined, webhooks: undefined },
        { submitterSecrets: [], feeBumpSecret: undefined },
      ),
  };
}
