/** Words of the exchange between a site and head office. */
import type { LinkState, SyncLane, SyncReceipt } from '#contract/site/sync.ts';
import type { FilesPaused } from '#contract/site/sync-files.ts';
import { decimals, type Word } from '#ui/languages/texts.ts';

export const LANE_WORDS: Readonly<Record<SyncLane['lane'], Word>> = {
  safety: 'Safety',
  alerts: 'Alerts and trouble codes',
  work: 'Tickets, records and boards',
  live: 'Live values and meters',
  samples: 'History of values',
  files: 'Photos and logs',
};

export const STATE_WORDS: Readonly<Record<LinkState, Word>> = {
  off: 'Not connected',
  connecting: 'Connecting',
  in_step: 'In step',
  catching_up: 'Exchanging data',
  offline: 'No connection',
  fenced: 'Two computers, one identity',
  revoked: 'Access revoked',
  refused: 'Cannot exchange data',
};

export const VERDICT_WORDS: Readonly<Record<SyncReceipt['verdict'], Word>> = {
  complete: 'Complete',
  declared_gap: 'Complete but for a known gap',
  incomplete: 'Incomplete',
  not_settled: 'Not settled yet',
};

export const PAUSE_WORDS: Readonly<Record<FilesPaused['why'], Word>> = {
  budget: 'The bytes that are left of this month are too few for these files, so they wait.',
  window: 'Files wait for the hours that were chosen for them.',
  metered: 'The link costs money, so files over 1 MiB wait until somebody asks for them.',
};

const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** Formats a size: "640 B", "12 kB", "1.4 MB". */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? decimals(value.toFixed(1)) : Math.round(value)} ${UNITS[unit]}`;
}
