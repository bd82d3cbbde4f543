/** A source of history whose memory is empty, as in a gateway that has just started: all values are in the store. */
import type { HistorySource } from '#history/history.ts';

export const noMemory = (): Omit<HistorySource, 'view' | 'equipment_id'> => ({
  openSamples: () => ({ t: [], v: [] }),
  unstoredSegments: () => [],
  openMinutes: () => ({ version: 0, minutes: [], states: [], origins: [] }),
  openVersion: () => 0,
  isStoring: () => false,
  converted: new Set(),
});
