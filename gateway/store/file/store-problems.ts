/** Builds the problems that health reports about the database, and their messages. */

import type { Problem } from '#store/base/problem.ts';
import type { DatabaseState, Loss, Repair } from './incarnation.ts';

/** Health reports a loss of commits or a repair for this time, in milliseconds: 7 days. */
const REPORTED_MS = 7 * 86_400_000;
/** With more pages than this (64 MB) in the WAL, health reports that another program blocks the checkpoints. */
const LONG_LOG = 16_000;

/** Explains which commits are missing and where the damaged files are. */
export function lossMessage({ rows, from, to, kept, missing }: Loss): string {
  const count = rows === null ? 'Commits' : `Commits of ${rows} rows`;
  const span = `between ${from ?? 'the beginning'} and ${to ?? 'the last stop'}`;
  const aside = kept === null ? '' : ` The damaged files are in ${kept}.`;
  const history = missing == null ? '' : ` The backup was not complete: ${missing}.`;
  return `${count} made ${span} are missing from the database. Enter again what people changed in that time. The gateway restores what machines sent from the journal, as far back as the journal goes.${aside}${history}`;
}

function lossProblems(losses: readonly Loss[], now: number): Problem[] {
  return losses
    .filter(({ found_at }) => now - Date.parse(found_at) < REPORTED_MS)
    .map((loss) => ({ code: 'records_lost', message: lossMessage(loss) }));
}

function repairProblems(repair: Repair | null, now: number): Problem[] {
  if (repair === null || now - Date.parse(repair.at) >= REPORTED_MS) return [];
  const { rows, at } = repair;
  const damaged =
    rows === 0
      ? 'An index of the database was'
      : rows === 1
        ? 'A stored document was'
        : `${rows} stored documents were`;
  const message = `${damaged} damaged on the disk. The gateway repaired the damage on ${at}. Nothing was lost. The disk may be failing: check it.`;
  return [{ code: 'database_mended', message }];
}

const UNCHECKED: Problem = {
  code: 'database_unchecked',
  message: 'The gateway did not stop cleanly last time. It checks its database now, while it serves requests.',
};

const LOG_LONG: Problem = {
  code: 'database_log_long',
  message:
    'Another program has been reading the database for so long that the database log is larger than 64 MB. End that program.',
};

/** The state of an open database that decides which problems health reports. */
interface DatabaseHealth {
  /** The number of different damaged documents that reads found. */
  readonly damaged: number;
  /** Descriptions of the damage that a check found: one text for each table. */
  readonly damage: readonly string[];
  pages(): { readonly log: number };
}

/**
 * Reports damaged documents that no backup can replace. If there is an intact backup, the store stops instead, and the next open recovers
 * the database.
 */
function damageProblems({ damaged, damage }: DatabaseHealth): Problem[] {
  if (damaged === 0 && damage.length === 0) return [];
  const found = damage.length > 0 ? ` (${damage.join('; ')})` : '';
  const message = `Some stored documents are damaged and are not shown${found}. No intact backup has them. \`headframe verify\` lists them. Check the disk.`;
  return [{ code: 'documents_damaged', message }];
}

/** Returns all problems of an open store at `now`. */
export function storeProblems(store: {
  readonly state: DatabaseState;
  readonly connection: DatabaseHealth;
  /** True while the background check runs. */
  readonly checking: boolean;
  readonly now: number;
}): Problem[] {
  const { state, connection, checking, now } = store;
  return [
    ...lossProblems(state.losses, now),
    ...repairProblems(state.mended, now),
    ...(checking ? [UNCHECKED] : []),
    ...damageProblems(connection),
    ...(connection.pages().log > LONG_LOG ? [LOG_LONG] : []),
  ];
}
