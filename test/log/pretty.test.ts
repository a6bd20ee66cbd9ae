import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/log/log.ts';
import { createPretty } from '../../src/log/pretty.ts';

const plain = createPretty({ hasColours: false });

/** What stands on the terminal for one line of the log. */
function shown(fields: object, message: string, level: 'info' | 'warn' | 'error' = 'info'): string {
  let text = '';
  createLog([], { write: (line) => void (text += plain(line)) })[level](fields, message);
  return text;
}

describe('a line', () => {
  test('is time, level, message and facts', () => {
    const fields = { path: '/verify', status: 200, note: 'two words', none: undefined, list: [1] };
    expect(shown(fields, 'request')).toMatch(
      /^\d\d:\d\d:\d\d INFO {2}request path=\/verify status=200 note="two words" list=\[1\]\n$/,
    );
  });

  test('has colours if the terminal has', () => {
    const line = JSON.stringify({ level: 'error', time: new Date().toISOString(), msg: 'fault', path: '/' });
    expect(createPretty({ hasColours: true })(line)).toContain('\u001b[31mERROR\u001b[0m');
    expect(plain(line)).not.toContain('\u001b');
  });

  test('shows an error and what caused it, and where it happened only if it is one to act on', () => {
    const err = new Error('no answer', { cause: new TypeError('no socket') });
    const said = '\n    Error: no answer\n';
    expect(shown({ err }, 'late', 'warn')).toContain(`${said.trimEnd()}\n    TypeError: no socket\n`);
    expect(shown({ err }, 'fault', 'error')).toMatch(
      /\n {4}Error: no answer\n {6}at .*pretty\.test\.ts[^]*\n {4}TypeError: no socket\n {6}at /,
    );
    expect(shown({ err: new Error('call: no answer', { cause: new Error('no answer') }) }, 'late')).toMatch(
      /late\n {4}Error: call: no answer\n$/,
    );
  });

  test('of a start has each fact, and each entry of a list, on a line of its own', () => {
    const accounts = [
      { address: 'GA', balanceXlm: '5' },
      { address: 'GB', balanceXlm: '6' },
    ];
    expect(
      shown({ version: '1', nodes: ['http://a', 'http://b'], accounts }, 'started')
        .split('\n')
        .slice(1),
    ).toEqual([
      '  version   1',
      '  nodes     http://a',
      '            http://b',
      '  accounts  address=GA balanceXlm=5',
      '            address=GB balanceXlm=6',
      '',
    ]);
  });
});

describe('a hostile text', () => {
  const HOSTILE = '\u001b[2J\u009b31m\r\b\u0007\u007f\n\u202e\u2066\u200f\u2028\ud800\ufeff';

  test('is escaped wherever it stands', () => {
    const err = Object.assign(new Error(HOSTILE), { name: HOSTILE, stack: `Error\n    at ${HOSTILE}` });
    const texts = [
      shown({ [HOSTILE]: HOSTILE, inside: { [HOSTILE]: [HOSTILE] } }, HOSTILE),
      shown({ err }, 'fault', 'error'),
      shown({ [HOSTILE]: [HOSTILE, { [HOSTILE]: HOSTILE }] }, 'started'),
      plain(HOSTILE),
      plain(JSON.stringify({ level: HOSTILE, time: HOSTILE, msg: HOSTILE })),
    ];
    for (const text of texts) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u);
    expect(texts[0]).toContain('\\u001b[2J');
  });

  test('makes no further line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        const text = shown({ [`x${name}`]: value }, 'request');
        expect(text).toMatch(/^\d\d:\d\d:\d\d INFO {2}request [^\p{Cc}]*\n$/u);
      }),
    );
  });
});
