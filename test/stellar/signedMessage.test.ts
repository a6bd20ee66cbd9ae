import { createHash } from 'node:crypto';
import { Account, Keypair, MuxedAccount, StrKey } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { isSignedBy } from '../../src/stellar/signedMessage.ts';
import { encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';

/** The vectors of SEP-53. */
const ACCOUNT = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const MESSAGE = 'Hello, World!';
const SIGNATURE = 'fO5dbYhXUhBMhe6kId/cuVq/AfEnHRHEvsP8vXh03M1uLpi5e46yO2Q8rEBzu3feXQewcQE5GArp88u6ePK6BA==';
const VECTORS: [string, string | Uint8Array, string][] = [
  ['of ASCII', MESSAGE, SIGNATURE],
  [
    'in Japanese',
    'こんにちは、世界！',
    'CDU265Xs8y3OWbB/56H9jPgUss5G9A0qFuTqH2zs2YDgTm+++dIfmAEceFqB7bhfN3am59lCtDXrCtwH2k1GBA==',
  ],
  [
    'of bytes',
    Buffer.from('2zZDP1sa1BVBfLP7TeeMk3sUbaxAkUhBhDiNdrksaFo=', 'base64'),
    'VA1+7hefNwv2NKScH6n+Sljj15kLAge+M2wE7fzFOf+L0MMbssA1mwfJZRyyrhBORQRle10X1Dxpx+UOI4EbDQ==',
  ],
];

const signature = Buffer.from(SIGNATURE, 'base64');
const changed = (at: number) => Buffer.from(signature).fill(signature[at]! ^ 1, at, at + 1);
const contract = StrKey.encodeContract(StrKey.decodeEd25519PublicKey(ACCOUNT));

describe('a signed message', () => {
  test.each(VECTORS)('%s is verified as SEP-53 says', (_what, message, signed) => {
    expect(isSignedBy(ACCOUNT, message, Buffer.from(signed, 'base64'))).toBe(true);
  });

  test('is one of the account behind M…', () => {
    const muxed = new MuxedAccount(new Account(ACCOUNT, '0'), '7').accountId();
    expect(isSignedBy(muxed, MESSAGE, signature)).toBe(true);
  });

  test.each([
    ['of another account', Keypair.random().publicKey(), MESSAGE, signature],
    ['of a contract with the same bytes', contract, MESSAGE, signature],
    [
      'of a muxed contract with the same bytes',
      encodeMuxedContract({ contract, id: 7n }),
      MESSAGE,
      signature,
    ],
    ['of no address', '', MESSAGE, signature],
    ['if the message has another line', ACCOUNT, `${MESSAGE}\n`, signature],
    ['with another first half', ACCOUNT, MESSAGE, changed(0)],
    ['with another second half', ACCOUNT, MESSAGE, changed(32)],
    ['with a part cut off', ACCOUNT, MESSAGE, signature.subarray(1)],
    ['with more after it', ACCOUNT, MESSAGE, Buffer.concat([signature, signature])],
    ['of zeros', ACCOUNT, MESSAGE, Buffer.alloc(64)],
    ['of ones', ACCOUNT, MESSAGE, Buffer.alloc(64, 255)],
    ['if the prefix is missing', ACCOUNT, MESSAGE, signedWithoutPrefix()],
  ])('is none %s', (_what, address, message, signed) => {
    expect(isSignedBy(address, message, signed)).toBe(false);
  });

  test('is none of a key of small order, for which anybody can sign', () => {
    const nobody = StrKey.encodeEd25519PublicKey(Buffer.from('01'.padEnd(64, '0'), 'hex'));
    const forged = Buffer.from('01'.padEnd(128, '0'), 'hex');
    expect(isSignedBy(nobody, MESSAGE, forged)).toBe(false);
  });
});

/** The signature of the message's own hash, by the key of the vectors. */
function signedWithoutPrefix(): Uint8Array {
  const key = Keypair.fromSecret('SAKICEVQLYWGSOJS4WW7HZJWAHZVEEBS527LHK5V4MLJALYKICQCJXMW');
  return key.sign(createHash('sha256').update(MESSAGE).digest());
}
