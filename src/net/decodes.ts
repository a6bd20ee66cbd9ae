/** True if each % of a text begins an escape of UTF-8, as in a path or in a URL's user name. */
export function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
