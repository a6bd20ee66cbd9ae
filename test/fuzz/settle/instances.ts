import type { ServiceProcess } from './serviceProcess.ts';
import type { Way } from './sharedDatabase.ts';

/** A place where one process runs after the other. */
export interface Instance {
  service: ServiceProcess | undefined;
  /** Leads to the database, if instances share one. */
  way: Way | undefined;
  /** The moment at which it was paused; undefined while it is not. */
  pausedAtMs: number | undefined;
}

export function createInstances(count: number): Instance[] {
  return Array.from({ length: count }, () => ({ service: undefined, way: undefined, pausedAtMs: undefined }));
}

export const isPaused = ({ pausedAtMs }: Instance): boolean => pausedAtMs !== undefined;
