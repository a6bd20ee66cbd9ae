/** Shows a table that scrolls in its own box, also by keyboard. */
import type { ComponentChildren } from 'preact';

interface TableProps {
  label: string;
  columns: readonly Column[];
  children: ComponentChildren;
}

interface Column {
  name: string;
  isNumber?: boolean;
}

export function Table({ label, columns, children }: TableProps) {
  return (
    <div class="scrolling" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber = false }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
