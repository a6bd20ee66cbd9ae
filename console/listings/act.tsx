/** A button for an act on a listing or a seller. It asks for a reason. */
import { useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { textsOf } from '../parts/form.ts';
import { Text } from '../parts/text.tsx';

export interface Said {
  readonly reason: string;
  readonly actor: string;
}

interface ActButtonProps {
  label: string;
  /** The question that titles the dialog. */
  title: string;
  /** Says what the act does, and to whom. */
  children: ComponentChildren;
  /** True if the act cannot be undone. */
  isGrave?: boolean;
  carryOut(said: Said): Promise<void>;
  onDone(): void;
}

const KEY = 'name';

/** Opens a dialog that asks for the reason. If the reader cancels, the dialog keeps the text. */
export function ActButton({ label, title, children, isGrave = false, carryOut, onDone }: ActButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const close = (): void => dialog.current?.close();

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const { reason = '', actor = '' } = textsOf(event.currentTarget);
    setBusy(true);
    setProblem(undefined);
    try {
      await carryOut({ reason, actor });
      localStorage.setItem(KEY, actor);
      close();
      onDone();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <button type="button" class={isGrave ? 'grave' : undefined} onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <form class="act" onSubmit={(event) => void submit(event)}>
          <h2 id={id}>{title}</h2>
          {children}
          <label>
            <span>Reason (one line, recorded; sellers never see it)</span>
            <input name="reason" required maxLength={500} autocomplete="off" autofocus />
          </label>
          <label>
            <span>Your name (recorded)</span>
            <input
              name="actor"
              required
              maxLength={64}
              autocomplete="off"
              defaultValue={localStorage.getItem(KEY) ?? 'operator'}
            />
          </label>
          {problem !== undefined && (
            <p class="problem" role="alert">
              <Text text={problem} />
            </p>
          )}
          <p class="row">
            <button type="submit" class={isGrave ? 'grave' : undefined} disabled={isBusy}>
              {isBusy ? 'Working …' : label}
            </button>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
