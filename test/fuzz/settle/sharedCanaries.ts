/** Ways in which several instances are broken, each of which the model has to find. */
import { withDeps, withJournal } from './brokenService.ts';
import type { Canary } from './canaries.ts';

export const SHARED_CANARIES: readonly Canary[] = [
  {
    name: 'an account that is used while what its last holder sent may still apply',
    complaint: /the journal has still open|is a second one/,
    broken: withDeps(({ sharing }) => ({
      sharing: sharing && {
        ...sharing,
        open: (events) => sharing.open({ ...events, left: () => {} }),
      },
    })),
  },
  {
    name: 'a payment that is sent although another instance has it or the account',
    complaint: /is sent and not open in the journal|is a second one/,
    broken: withJournal((journal) => ({
      ...journal,
      async open(...entry) {
        const opened = await journal.open(...entry);
        return opened === 'unavailable' ? opened : 'open';
      },
    })),
  },
  {
    name: 'a verification that counts although another instance has settled the payment since',
    complaint: /is sent although its authorization is spent/,
    broken: withJournal((journal) => ({
      ...journal,
      open: (entry, mayStillSend) =>
        journal.open({ ...entry, sent: { ...entry.sent, sentInLedger: 2 ** 31 } }, mayStillSend),
    })),
  },
];
