/** Texts that a client may have chosen, addresses, and times. */
import { useEffect, useState } from 'preact/hooks';
import { useNow } from './clock.tsx';
import { age, localTime, utcTime } from './time.ts';
import { partsOf, shortened, visible, webAddress } from './visible.ts';

/** Shows a text unchanged, but replaces hidden characters by their names. */
export function Text({ text }: { text: string }) {
  return (
    <bdi class="text">
      {partsOf(text).map((part) =>
        part.isHidden ? <span class="hidden-character">{part.text}</span> : part.text,
      )}
    </bdi>
  );
}

/** Shows the URL of a resource with its host highlighted. It is a link only if it is http or https. */
export function Resource({ url }: { url: string }) {
  const address = webAddress(url);
  if (address === undefined) return <Text text={url} />;
  return (
    <a class="text" href={address.href} target="_blank" rel="noopener noreferrer">
      {address.before}
      <strong>{address.host}</strong>
      {address.after}
    </a>
  );
}

/** Shows the ends of an address or a hash. The title shows all of it, and the button copies it. */
export function Short({ text, name }: { text: string; name?: string }) {
  return (
    <span class="short">
      <span class="code" title={visible(text)}>
        {visible(shortened(text))}
      </span>
      {name !== undefined && <Copy text={text} name={name} />}
    </span>
  );
}

/** Shows all of an address or a hash. */
export function Full({ text, name }: { text: string; name: string }) {
  return (
    <span class="full">
      <span class="code">
        <Text text={text} />
      </span>
      <Copy text={text} name={name} />
    </span>
  );
}

const COPIED_MS = 1_500;

function Copy({ text, name }: { text: string; name: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => void copyText(text).then(setCopied);
  return (
    <button type="button" class="copy" aria-label={`Copy ${name}`} title={`Copy ${name}`} onClick={copy}>
      {isCopied ? '✓ copied' : 'copy'}
    </button>
  );
}

/** Returns false if the browser does not allow copying. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copies without the clipboard API, which a page from another machine lacks over plain HTTP. */
function copySelected(text: string): boolean {
  const field = document.createElement('textarea');
  const focused = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Shows a time in the reader's time zone. The title shows it in UTC. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {localTime(at, useNow())}
    </time>
  );
}

/** Shows how much time has passed since `at`. */
export function Age({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {age(useNow() - Date.parse(at))}
    </time>
  );
}
