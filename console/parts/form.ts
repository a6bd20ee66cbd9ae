/** Returns the texts in the fields of a form, by field name. */
export const textsOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** Keeps the texts that have one of these names and are not empty. */
export const givenIn = <Name extends string>(
  texts: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
  maxCharacters: number,
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = texts[name]?.trim().slice(0, maxCharacters);
      return text === undefined || text === '' ? [] : [[name, text]];
    }),
  ) as Partial<Record<Name, string>>;
