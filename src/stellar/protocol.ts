/** The newest Stellar protocol that this code was written for; see codegen/upstream/versions.json. */
export const NEWEST_PROTOCOL = 30;
