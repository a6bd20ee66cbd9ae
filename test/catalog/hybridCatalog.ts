import { loadModel } from '../../src/catalog/meaning/index.ts';
import type { StoreOptions } from '../../src/catalog/sqlite/store.ts';
import type { Draft } from './drafts.ts';
import { openCatalog, type TestCatalog } from './openCatalog.ts';
import type { StoreKind } from './stores.ts';

/** Of a store that ranks by words and meaning. */
export const options: StoreOptions = { model: await loadModel('built-in') };

export const described = (name: string, description: string, more: Partial<Draft> = {}): Draft => ({
  name,
  description,
  ...more,
});

/** A catalog whose index in memory has all listings. */
export function opened(kind: StoreKind, ...drafts: readonly Draft[]): TestCatalog {
  const catalog = openCatalog(kind, options);
  catalog.put(...drafts);
  fill(catalog);
  return catalog;
}

export function fill({ store: { hybrid } }: Pick<TestCatalog, 'store'>): void {
  while (hybrid!.isBusy) hybrid!.step();
}
