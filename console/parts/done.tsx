import { useEffect, useRef } from 'preact/hooks';

/** Says what was done, and takes the focus, because the button that had it may be gone. */
export function Done({ text }: { text: string | undefined }) {
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (text !== undefined) place.current?.focus();
  }, [text]);
  return (
    <p class="done" role="status" tabIndex={-1} ref={place}>
      {text !== undefined && `✓ ${text}`}
    </p>
  );
}
