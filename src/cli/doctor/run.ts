import { hiddenTexts } from '../../config/hiddenTexts.ts';
import { readRpcUrls } from '../../config/rpcUrls.ts';
import { DOCTOR_LIMITS, examineSeller, verdictOf, type Finding, type Verdict } from '../../doctor/index.ts';
import { SILENT_LOG, withoutHidden } from '../../log/log.ts';
import { createOutgoing } from '../../net/outgoing.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { VERSION } from '../../process/version.ts';
import { PASSPHRASES, type Network } from '../../stellar/networks.ts';
import { createRpc } from '../../stellar/rpc/pool.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { wrongConfiguration } from '../failure.ts';
import { printable, printableJson } from '../printable.ts';

export interface DoctorOrder {
  readonly url: URL;
  readonly method: string;
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
  unpaid: 'It would not be paid: mend what is marked UNPAID.',
  unlisted: 'It would be paid, but not listed: mend what is marked UNLISTED.',
  unchecked: 'Whether it would be paid is not known: mend what is marked UNCHECKED.',
};

/** Examines a seller, and shows what is found. Returns the exit code, or throws a Failure. */
export async function runDoctor(
  { url, method, json }: DoctorOrder,
  { environment, terminal: { say } }: Context,
): Promise<number> {
  const outgoing = createOutgoing({
    userAgent: `stellar-facilitator-doctor/${VERSION}`,
    maxConnections: 1,
    connectTimeoutMs: DOCTOR_LIMITS.connectTimeoutMs,
    maxHeaderBytes: DOCTOR_LIMITS.maxHeaderBytes,
    silenceTimeoutMs: DOCTOR_LIMITS.requestTimeoutMs,
  });
  const findings: Finding[] = [];
  const rpc = rpcOpener(environment);
  try {
    // People name the URL themselves, and most often a seller of their own: any address may be asked.
    const deps = { fetch: outgoing.fetch, reach: 'any', limits: DOCTOR_LIMITS, openRpc: rpc.open } as const;
    for await (const found of examineSeller(deps, { url, method })) {
      const finding = { ...found, text: withoutHidden(found.text, rpc.hidden()) };
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

function linesOf({ check, status, text, code, mend }: Finding): string {
  const line = `${MARKS[status]} ${check}: ${text}${code === undefined ? '' : ` (${code})`}`;
  const lines = mend === undefined ? [line] : [line, `${' '.repeat(MARKS[status].length)} → ${mend}`];
  return lines.map(printable).join('\n');
}

/** Opens the RPC that the environment names. Throws a Failure if there is none for a network. */
function rpcOpener(environment: ProcessEnvironment) {
  const known = new Set<string>();
  return {
    open(network: Network) {
      const problems: { variable: string; text: string }[] = [];
      const text = environment['RPC_URL']?.trim();
      const set = text ? { RPC_URL: text } : {};
      const urls = readRpcUrls(set, network, (variable, text) => problems.push({ variable, text }));
      if (problems.length > 0) throw wrongConfiguration(problems);
      for (const url of urls) known.add(url);
      const passphrase = PASSPHRASES[network];
      return createRpc(urls, { log: SILENT_LOG, now: () => performance.now(), passphrase });
    },
    /** Returns the parts of URLs that may be a provider's key. */
    hidden: () =>
      hiddenTexts(
        { rpcUrls: [...known], tracing: undefined, webhooks: undefined },
        {
          submitterSecrets: [],
          feeBumpSecret: undefined,
        },
      ),
  };
}
