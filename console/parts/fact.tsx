import type { ComponentChildren } from 'preact';

/** Shows a name and its value in a list of facts, or that the value was not recorded. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? 'not recorded'}</dd>
    </div>
  );
}
