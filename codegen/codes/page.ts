import { format, resolveConfig } from 'prettier';
import type { CodeFamily } from './families.ts';
import { rowOf } from './sightings.ts';
import type { Finding } from './sightings.ts';
import { cellsOf } from './table.ts';

export const pageUrl = new URL('../../docs/codes.md', import.meta.url);

const intro = `# Codes

Every code that the service answers with. Programs can rely on codes; the texts beside them are for people and may change.

| Answer | Its code |
| --- | --- |
| \`/verify\` with \`isValid\` false | \`invalidReason\`: ReasonCode |
| \`/settle\` with \`success\` false | \`errorReason\`: ReasonCode |
| \`/settle\` with the header \`EXTENSION-RESPONSES\` | \`bazaar.code\` in the header: CatalogCode |
| any other with a status other than 200 | \`error.code\`: ErrorDetail.code |

The conditions come from openapi.yaml. **Where** lists the operations and HTTP statuses at which tests saw the code, **Test** a file of such tests.

\`npm run codes\` generates this page. A run of all tests fails if the page is out of date.
`;

/** Returns the text of docs/codes.md. A code without a finding has an empty row. */
export async function renderPage(
  families: readonly CodeFamily[],
  findings: ReadonlyMap<string, Finding>,
): Promise<string> {
  const sections = families.map(({ name, text, heading, rows }) => {
    const lines = rows.map(({ code, condition }) => {
      const finding = findings.get(rowOf(name, code));
      return `| \`${code}\` | ${condition} | ${finding?.where ?? ''} | ${finding ? testCell(finding.file) : ''} |`;
    });
    const table = [`| Code | ${heading} | Where | Test |`, '| --- | --- | --- | --- |', ...lines];
    return `## ${name}\n\n${text}\n\n${table.join('\n')}\n`;
  });
  const config = await resolveConfig(pageUrl);
  return format([intro, ...sections].join('\n'), { ...config, parser: 'markdown' });
}

/** Returns the findings in a page, by row. Leaves out rows without one. */
export function findingsIn(page: string): Map<string, Finding> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.flatMap((section) => {
      const [family = '', ...lines] = section.split('\n');
      return lines.map(cellsOf).flatMap(([code, , where, test]): [string, Finding][] => {
        const file = testCellForm.exec(test ?? '')?.[1];
        if (!code || !where || !file) return [];
        return [[rowOf(family, code.replaceAll('`', '')), { where, file }]];
      });
    }),
  );
}

const testCellForm = /^\[.*?\]\(\.\.\/(.*?)\)$/;

const testCell = (file: string): string => `[${file.replace(/^test\/|\.test\.ts$/g, '')}](../${file})`;
