/** How the programs end when they do not succeed: 1, or as sysexits has it (specification 7.1). */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;
export const EXIT_CONFIG = 78;
