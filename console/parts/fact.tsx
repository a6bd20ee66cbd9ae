import type { ComponentChildren } from 'preact';

/** A line of a list of facts; says so if there is nothing to say. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? 'not recorded'}</dd>
    </div>
  );
}
