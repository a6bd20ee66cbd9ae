/** The folder of package.json. The sources are two folders below it; the build puts all of its code right into `dist`. */
export const PACKAGE_ROOT = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url);
