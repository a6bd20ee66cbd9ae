import type { Attack } from './attack.ts';
import { attack as echo } from './echo.ts';
import { attack as forged } from './forged.ts';
import { attack as parsing } from './parsing.ts';
import { attack as questions } from './questions.ts';
import { attack as readers } from './readers.ts';
import { attack as sender } from './sender.ts';
import { attack as sockets } from './sockets.ts';
import { attack as waiting } from './waiting.ts';

export const ATTACKS: readonly Attack[] = [
  echo,
  waiting,
  parsing,
  sender,
  forged,
  questions,
  readers,
  sockets,
];
