import { formatted } from '../format.ts';
import type { CodeFamily } from './families.ts';
import { rowOf, type Finding } from './sightings.ts';

export const pageUrl = new URL('../../docs/codes.md', import.meta.url);

const intro = `# Codes

Every code that the service answers with, by the operations and HTTP statuses at which tests saw it. Programs can rely on codes; their texts may change. A refused payment has a ReasonCode: in \`invalidReason\` of \`/verify\`, in \`errorReason\` of \`/settle\`. The header \`EXTENSION-RESPONSES\` of \`/settle\` has a CatalogCode. All other answers but 200 have an ErrorDetail.code.

<!--Written by npm run codes, which names each group's tests.-->
`;

/** Returns the text of docs/codes.md. Codes without a finding stand under "no test". */
export async function renderPage(
  families: readonly CodeFamily[],
  findings: ReadonlyMap<string, Finding>,
): Promise<string> {
  const sections = families.map(({ name, heading, rows }) => {
    const groups = Map.groupBy(rows, ({ code }) => groupLine(findings.get(rowOf(name, code))));
    const lists = [...groups].map(([line, codes]) => `${line}\n\n${codes.map(codeLine).join('\n')}\n`);
    return `## ${name}\n\n${heading}:\n\n${lists.join('\n')}`;
  });
  return formatted('codes.md', [intro, ...sections].join('\n'));
}

const codeLine = ({ code, condition }: CodeFamily['rows'][number]): string => `- \`${code}\`: ${condition}`;

function groupLine(finding: Finding | undefined): string {
  if (finding === undefined) return '**no test**';
  const { where, file } = finding;
  return `**${where}**<!--${file}-->`;
}

/** Returns the findings in a page, by row. */
export function findingsIn(page: string): Map<string, Finding> {
  const findings = new Map<string, Finding>();
  let family = '';
  let finding: Finding | undefined;
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) family = line.slice(3);
    if (line.startsWith('**')) finding = findingIn(line);
    const code = /^- `(\w+)`: /.exec(line)?.[1];
    if (code && finding) findings.set(rowOf(family, code), finding);
  }
  return findings;
}

function findingIn(line: string): Finding | undefined {
  const [where, file] = /^\*\*(.+)\*\*<!--(\S+)-->$/.exec(line)?.slice(1) ?? [];
  return where && file ? { where, file } : undefined;
}
