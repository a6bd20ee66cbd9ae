/** Finds what no schema can find: mistyped addresses, repeated ones, rules that contradict each other. */
import { isLoopback } from '../../net/loopback.ts';
import { baseAddress, isRecipient } from '../../stellar/addresses.ts';
import type { PolicyContent } from './rules.ts';
import { nameOf } from './shape.ts';
import type { LineProblem, Path, Yaml } from './yaml.ts';

type Report = (line: number, text: string) => void;

const MISTYPED = 'is not a valid address: a character is missing or wrong';

/** Expects content of the right shape. */
export function contentProblems(content: PolicyContent, yaml: Yaml, hasSecret: boolean): LineProblem[] {
  const problems: LineProblem[] = [];
  const report: Report = (line, text) => void problems.push({ line, text });
  for (const who of ['assets', 'recipients', 'payers'] as const)
    for (const kind of ['allow', 'deny'] as const)
      checkList([who, kind], content[who]?.[kind] ?? [], yaml, report);
  checkAmounts(content, yaml, report);
  if (content.check !== undefined) checkCheck(content.check.url, hasSecret, yaml, report);
  return problems;
}

function checkList(path: Path, addresses: readonly string[], { lineOf }: Yaml, report: Report): void {
  const entries = new Map<string, number>();
  for (const [index, address] of addresses.entries()) {
    const entry = [...path, index];
    if (!isRecipient(address)) {
      report(lineOf(entry), `${nameOf(entry)} ${MISTYPED}`);
      continue;
    }
    const base = baseAddress(address);
    const first = entries.get(base);
    if (first === undefined) entries.set(base, index);
    else report(lineOf(entry), `${nameOf(entry)} repeats entry ${first + 1}`);
  }
}

function checkAmounts({ amounts = {}, leastTimesFee = 0 }: PolicyContent, yaml: Yaml, report: Report): void {
  for (const [asset, { least, greatest }] of Object.entries(amounts)) {
    if (!isRecipient(asset)) report(yaml.lineOfKey(['amounts'], asset), `amounts has a key that ${MISTYPED}`);
    if (least !== undefined && greatest !== undefined && BigInt(least) > BigInt(greatest))
      report(yaml.lineOf(['amounts', asset, 'least']), 'least must not be above greatest');
  }
  const isPriced = Object.values(amounts).some(({ stroopsPerBaseUnit }) => stroopsPerBaseUnit !== undefined);
  if (leastTimesFee > 0 && !isPriced)
    report(yaml.lineOf(['leastTimesFee']), 'leastTimesFee needs an asset with stroopsPerBaseUnit in amounts');
}

function checkCheck(text: string, hasSecret: boolean, yaml: Yaml, report: Report): void {
  const line = yaml.lineOf(['check', 'url']);
  const url = URL.parse(text);
  if (url === null || (url.protocol === 'http:' && !isLoopback(url.hostname)))
    report(line, 'check.url must be an absolute https URL, or an http URL of this machine');
  else if (url.username !== '' || url.password !== '')
    report(line, 'check.url must hold no user name and no password: the signature shows who asks');
  if (!hasSecret)
    report(
      yaml.lineOfKey([], 'check'),
      'check needs the variable POLICY_CHECK_SECRET or POLICY_CHECK_SECRET_FILE, by which the calls are signed',
    );
}
