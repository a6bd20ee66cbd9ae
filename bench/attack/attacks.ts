import type { Attack } from './attack.ts';
import { attack as echo } from './echo.ts';

export const ATTACKS: readonly Attack[] = [echo];
