import { LOG_LEVELS, type LogLevel } from '../log/log.ts';
import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

const FORMATS = ['json', 'pretty'] as const;

export interface LogSettings {
  /** The lowest level that is logged. */
  readonly level: LogLevel;
  /** If undefined, the log is pretty on a terminal, and JSON otherwise. */
  readonly format: (typeof FORMATS)[number] | undefined;
}

export function readLogging(environment: Environment, report: Report): LogSettings {
  const { LOG_LEVEL: level = 'info', LOG_FORMAT: format } = environment;
  if (!LOG_LEVELS.includes(level as LogLevel)) report('LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`);
  if (format !== undefined && !FORMATS.includes(format as 'json'))
    report('LOG_FORMAT', `must be one of ${FORMATS.join(', ')}`);
  return { level: level as LogLevel, format: format as LogSettings['format'] };
}
