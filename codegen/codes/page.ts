import { format, resolveConfig } from 'prettier';
import { cellsOf } from './families.ts';
import type { CodeFamily } from './families.ts';
import type { Finding } from './sightings.ts';

/** Where the page is. */
export const pageUrl = new URL('../../docs/codes.md', import.meta.url);

const intro = `# Codes

Every code that the service answers with: where it stands, what it means, and a test that reaches it. Programs can rely on codes; the texts beside them explain to people and may change. Codes that need no table row in your program: treat an unknown one like its family, since families may grow.

| Answer | The code is in |
| --- | --- |
| \`/verify\` with \`isValid\` false | \`invalidReason\`, from VerifyCode or EnvelopeCode |
| \`/settle\` with \`success\` false | \`errorReason\`, from SettleCode, VerifyCode or EnvelopeCode |
| \`/settle\` with the header \`EXTENSION-RESPONSES\` | \`bazaar.code\` in its content, from CatalogCode |
| any other error | \`error.code\`, from EnvelopeCode |

**Where** lists the operations and the HTTP statuses with which the tests saw the code: no test sees it anywhere else. **Test** is one test among those that reach it, in requests to the whole service over HTTP unless the row says otherwise; its name tells whether the network behaved (\`HTTP\`) or was made to misbehave (\`misbehaving RPC\`).

This page is generated from openapi.yaml and from what the tests saw, by \`npm run codes\`. A full test run fails where it is not true any more.
`;

/** The text of docs/codes.md. A code without a finding has an empty row. */
export async function renderPage(
  families: readonly CodeFamily[],
  findings: ReadonlyMap<string, Finding>,
): Promise<string> {
  const sections = families.map(({ name, text, heading, rows }) => {
    const lines = rows.map(({ code, condition }) => {
      const finding = findings.get(code);
      return `| \`${code}\` | ${finding?.where ?? ''} | ${condition} | ${finding ? testCell(finding) : ''} |`;
    });
    const table = [`| Code | Where | ${heading} | Test |`, '| --- | --- | --- | --- |', ...lines];
    return `## ${name}\n\n${text}\n\n${table.join('\n')}\n`;
  });
  const config = await resolveConfig(pageUrl);
  return format([intro, ...sections].join('\n'), { ...config, parser: 'markdown' });
}

/** What a page says, by code; rows that say nothing are left out. */
export function findingsIn(page: string): Map<string, Finding> {
  const rows = page.split('\n').map(cellsOf);
  return new Map(
    rows.flatMap(([code, where, , test]) => {
      const [file, , name] = testCellForm.exec(test ?? '')?.slice(1) ?? [];
      if (!code || !where || !file || !name) return [];
      return [[code.replaceAll('`', ''), { where, file, name: name.replaceAll('\\|', '|') }]];
    }),
  );
}

const testCellForm = /^\[.*?\]\(\.\.\/(.*?)\): (`+) ?(.*?) ?\2$/;

function testCell({ file, name }: Finding): string {
  const link = `[${file.split('/').slice(1).join('/')}](../${file})`;
  const text = name.replaceAll('|', '\\|');
  return `${link}: ${text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``}`;
}
