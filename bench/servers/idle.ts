/** A process that does nothing: how late its timers are is the machine's doing. */
import { serveMeasured } from './child.ts';

serveMeasured(async () => ({ port: 0 }));
