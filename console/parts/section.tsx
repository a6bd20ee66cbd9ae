import type { ComponentChildren } from 'preact';

interface SectionProps {
  title: string;
  /** A few words beside the title. */
  note?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** A part of a page, with its heading. */
export function Section({ title, note, class: name = '', children }: SectionProps) {
  const id = `section-${title.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <section class={`panel ${name}`} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p class="note">{note}</p>}
      </div>
      {children}
    </section>
  );
}
