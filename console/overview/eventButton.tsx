import { useState } from 'preact/hooks';

interface EventButtonProps {
  id: string;
  label: string;
  /** Replaces the label until the row of the event leaves its table. */
  done: string;
  /** The label after the first click. Only the second click acts; for acts that cannot be undone. */
  secondLabel?: string;
  carryOut(): Promise<void>;
}

/** A button that acts on an event once. */
export function EventButton({ id, label, done, secondLabel, carryOut }: EventButtonProps) {
  const [state, setState] = useState<'clicked' | 'underWay' | 'done'>();
  const [problem, setProblem] = useState<string>();
  const isUsed = state === 'underWay' || state === 'done';
  const shown = state === undefined ? label : (secondLabel ?? label);
  async function act(): Promise<void> {
    if (isUsed) return;
    if (secondLabel !== undefined && state === undefined) return setState('clicked');
    setState('underWay');
    setProblem(undefined);
    try {
      await carryOut();
      setState('done');
    } catch (error) {
      setProblem((error as Error).message);
      setState(undefined);
    }
  }
  return (
    <>
      <button
        type="button"
        class={secondLabel === undefined ? undefined : 'grave'}
        aria-disabled={isUsed}
        onClick={() => void act()}
      >
        {state === 'done' ? `✓ ${done}` : shown}
        <span class="unseen"> {id}</span>
      </button>
      <span class="problem" role="status">
        {problem}
      </span>
    </>
  );
}
