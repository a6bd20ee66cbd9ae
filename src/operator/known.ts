type Known<Facts> = { [Name in keyof Facts as undefined extends Facts[Name] ? never : Name]: Facts[Name] } & {
  [Name in keyof Facts as undefined extends Facts[Name] ? Name : never]?: Exclude<Facts[Name], undefined>;
};

/** Leaves out what is not known. */
export const known = <Facts extends object>(facts: Facts): Known<Facts> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Known<Facts>;
