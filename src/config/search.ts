import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

/** Says how searches that rank by words and by meaning know what texts mean. */
export interface HybridSearchSettings {
  /** The folder of a Model2Vec model; the built-in one if not set. */
  readonly modelFolder: string | undefined;
}

/** Returns undefined if searches rank by words alone. */
export function readSearch(environment: Environment, report: Report): HybridSearchSettings | undefined {
  const { SEARCH_RANKING: ranking = 'lexical', SEARCH_MODEL: modelFolder } = environment;
  if (ranking === 'hybrid') return { modelFolder };
  if (ranking !== 'lexical') report('SEARCH_RANKING', 'must be lexical or hybrid');
  else if (modelFolder !== undefined) report('SEARCH_MODEL', 'needs SEARCH_RANKING to be hybrid');
  return undefined;
}
