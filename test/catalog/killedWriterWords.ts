/** Words that many listings have in common. */
export const COMMON_WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath'] as const;
export const PAYEES = ['GALICE', 'GBOB', 'GCAROL'] as const;
