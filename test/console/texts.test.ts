import { describe, expect, test } from 'vitest';
import { age, duration } from '../../console/parts/time.ts';
import { usdcOf } from '../../src/stellar/assets.ts';
import { shownAmount, shownBalance, shownXlm } from '../../console/parts/numbers.ts';
import { shortened, visible, webAddress } from '../../console/parts/visible.ts';

describe('texts of clients', () => {
  test.each([
    ['gnp.\u202eexe', 'gnp.⟨U+202E⟩exe'],
    ['a\u0000\n\u200bb', 'a⟨U+0000⟩⟨U+000A⟩⟨U+200B⟩b'],
    ['\u00a0\u2800\u3164', '⟨U+00A0⟩⟨U+2800⟩⟨U+3164⟩'],
    ['\ud800', '⟨U+D800⟩'],
    ['e\u0301\u0301\u0301', 'e\u0301\u0301⟨U+0301⟩'],
  ])('name what they hide: %j', (text, shown) => expect(visible(text)).toBe(shown));

  test.each(['weather in Zürich', 'العربية', '日本語 ✓'])('are shown as they are: %s', (text) =>
    expect(visible(text)).toBe(text),
  );

  test.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://shop.example/', 'shop.example', '//x', ''])(
    'are no link unless they lead to the web: %s',
    (text) => expect(webAddress(text)).toBeUndefined(),
  );

  test('that are links show which host they lead to', () => {
    expect(webAddress('https://good.example@evil.example/a?b#c')).toMatchObject({
      before: 'https://good.example@',
      host: 'evil.example',
      after: '/a?b#c',
    });
    expect(webAddress('https://shоp.example/')?.host).toMatch(/^xn--/);
    expect(webAddress('https://shop.example/\u202egnp')?.after).toBe('/%E2%80%AEgnp');
  });
});

test('an address shows its ends, and what is short is whole', () => {
  expect(shortened('GABCDEFGHIJKLMNOPQRSTUVWXYZ')).toBe('GABCDE…UVWXYZ');
  expect(shortened('GPAYER')).toBe('GPAYER');
});

test('amounts keep every digit, balances are never rounded up', () => {
  expect(shownAmount('170141183460469231731687303715884105727', usdcOf('stellar:pubnet'))).toBe(
    '17014118346046923173168730371588.4105727 USDC',
  );
  expect(shownAmount('170141183460469231731687303715884105727', 'C…')).toBe(
    '170,141,183,460,469,231,731,687,303,715,884,105,727 base units',
  );
  expect(shownXlm(1)).toBe('0.0000001');
  expect(shownBalance(19_999_999)).toBe('1.99');
});

test.each([
  [0, '0 s', '0 ms'],
  [59_900, '59 s', '59.9 s'],
  [61_000, '1 min 1 s', '1 min 1 s'],
  [3_660_000, '1 h 1 min', '1 h 1 min'],
  [90_000_000, '1 d 1 h', '1 d 1 h'],
])('%i ms are an age of %s, and a duration of %s', (ms, shownAge, shownDuration) => {
  expect(age(ms)).toBe(shownAge);
  expect(duration(ms)).toBe(shownDuration);
});
