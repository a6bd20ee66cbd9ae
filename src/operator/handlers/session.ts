import type { OperatorHandlers } from '../../contract/index.ts';
import { SESSION_COOKIE } from '../access.ts';
import type { OperatorLimits } from '../limits.ts';
import { refuse } from '../refusal.ts';
import type { Sessions } from '../sessions.ts';

interface Deps {
  sessions: Sessions;
  isToken(text: string): boolean;
  limits: Pick<OperatorLimits, 'sessionMs'>;
}

/** Signs browsers in and out. */
export function createSessionHandlers({
  sessions,
  isToken,
  limits,
}: Deps): Pick<OperatorHandlers, 'openSession' | 'closeSession'> {
  const cookie = (value: string, seconds: number, isFromHttps: boolean): Record<string, string> => {
    const secure = isFromHttps ? '; Secure' : '';
    return {
      'set-cookie': `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
    };
  };
  return {
    openSession({ body: { token }, isFromHttps }) {
      if (!isToken(token))
        return refuse('op_unauthorized', 'This token is wrong: enter the value of OPERATOR_TOKEN.');
      const headers = cookie(sessions.open(), limits.sessionMs / 1000, isFromHttps);
      return { status: 204, body: undefined, headers };
    },
    closeSession({ session, isFromHttps }) {
      if (session !== undefined) sessions.close(session);
      return { status: 204, body: undefined, headers: cookie('', 0, isFromHttps) };
    },
  };
}
