import type { ImportedListing } from './types.ts';

type Item = ImportedListing['item'];

/** Returns the recipients of a listing, each once. A block of any of them keeps it out. */
export const recipientsOf = ({ accepts }: Item): string[] => [...new Set(accepts.map(({ payTo }) => payTo))];

/** Returns the recipient under which the listing is stored: a later block of it hides the listing. */
export const ownerOf = ({ accepts }: Item): string => accepts[0]!.payTo;
