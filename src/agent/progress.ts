/** Tells a host that its call is under way, since some hosts stop waiting otherwise. */
export type TellProgress = () => void;

export interface ProgressNotification {
  readonly method: 'notifications/progress';
  readonly params: { progressToken: string | number; progress: number; message: string };
}

/** Tells it to a host that has given a token for it. */
export function progressTo(
  progressToken: string | number | undefined,
  notify: (notification: ProgressNotification) => Promise<void>,
): TellProgress {
  let progress = 0;
  return () => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for the target and the ledger.' };
    void notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
