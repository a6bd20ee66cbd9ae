import { useEffect, useState } from 'preact/hooks';
import type { Api } from './api.ts';

/** Reads an answer of the port. `again` reads it once more, and keeps the earlier answer until then. */
export function useRead<Answer>(api: Api, path: string) {
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState<string>();
  const [times, setTimes] = useState(0);
  useEffect(() => setAnswer(undefined), [path]);
  useEffect(() => {
    const left = new AbortController();
    setProblem(undefined);
    api
      .get<Answer>(path, {}, left.signal)
      .then(setAnswer)
      .catch((error: unknown) => left.signal.aborted || setProblem((error as Error).message));
    return () => left.abort();
  }, [path, times]);
  return { answer, problem, again: () => setTimes((was) => was + 1) };
}
