/** Makes accounts: friendbot, or the account that pays for them. */
export interface Source {
  readonly name: string;
  /** Makes the accounts that have these addresses. Throws a Failure. */
  fund(addresses: readonly string[]): Promise<void>;
}
