/** The exit codes of programs that do not succeed: 1, or those of sysexits. */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;
export const EXIT_CONFIG = 78;
