import { useEffect, useRef, useState } from 'preact/hooks';
import type { TargetedSubmitEvent } from 'preact';
import type { Api } from './parts/api.ts';
import { textsOf } from './parts/form.ts';

/** Asks for the operator's token, and opens a session with it. */
export function SignIn({ api, onSignedIn }: { api: Api; onSignedIn: () => void }) {
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  async function signIn(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    try {
      const { token = '' } = textsOf(event.currentTarget);
      await api.signIn(token.trim());
      onSignedIn();
    } catch (error) {
      setProblem((error as Error).message);
      field.current?.select();
    }
  }
  return (
    <form class="panel sign-in" onSubmit={(event) => void signIn(event)}>
      <h1>Sign in</h1>
      <label for="token">The operator’s token (OPERATOR_TOKEN)</label>
      <div class="row">
        <input id="token" name="token" type="password" autocomplete="current-password" required ref={field} />
        <button type="submit">Sign in</button>
      </div>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
