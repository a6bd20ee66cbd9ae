import { hash, timingSafeEqual } from 'node:crypto';

const MIN_TOKEN_CHARS = 32;
const MAX_TOKEN_CHARS = 512;

/** Returns what is wrong with a token that an operator has chosen; undefined if it is good. */
export function tokenProblem(token: string): string | undefined {
  const isGood =
    token.length >= MIN_TOKEN_CHARS && token.length <= MAX_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(token);
  return isGood
    ? undefined
    : `must be ${MIN_TOKEN_CHARS} to ${MAX_TOKEN_CHARS} visible ASCII characters: make one with openssl rand -hex 32`;
}

/** Returns a comparison with the token that takes the same time however much of a text is right. */
export function createTokenCheck(token: string): (text: string) => boolean {
  const tokenHash = hash('sha256', token, 'buffer');
  return (text) => timingSafeEqual(hash('sha256', text, 'buffer'), tokenHash);
}

/** Returns the token in an `Authorization` header; undefined if there is none. */
export function bearerTokenIn(authorization = ''): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}
