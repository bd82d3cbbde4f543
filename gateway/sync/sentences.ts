/** Sentences about the link between a site and head office, for people. */
import type { LinkState, SyncLane } from '#contract/site/sync.ts';
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import type { Custody } from '#domain/sync/custody.ts';

const MINUTE_MS = 60_000;

/** Returns a duration in words, such as `3 hours`. */
export function durationOf(ms: number): string {
  const [n, unit] =
    ms < 2 * MINUTE_MS
      ? [Math.max(1, Math.round(ms / 1_000)), 'second']
      : ms < 120 * MINUTE_MS
        ? [Math.round(ms / MINUTE_MS), 'minute']
        : ms < 48 * 60 * MINUTE_MS
          ? [Math.round(ms / (60 * MINUTE_MS)), 'hour']
          : [Math.round(ms / (1_440 * MINUTE_MS)), 'day'];
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}

export const changes = (n: number): string => `${n} change${n === 1 ? '' : 's'}`;

const REPLACED =
  'Head office takes nothing from this box, and what it records is only here. Stop it. To use its computer for another site, install Headframe anew with an empty data folder. If this box is the right one after all, ask head office for a code that replaces the box of this site, and connect this box with it.';

const number = (n: number): string => n.toLocaleString('en');

/** How far head office is in giving a new box what it has of the site. */
export const givenBackSentence = ({ documents, of }: GivenBack): string =>
  of === 0
    ? 'A new box takes the place of another one. Head office begins to give it the data of the site.'
    : `A new box takes the place of another one. Head office has given back ${number(documents)} of about ${number(of)} records.`;

/** The lane of each number of `#domain/sync/lanes.ts`. */
export const LANE_NAMES: readonly SyncLane['lane'][] = ['safety', 'alerts', 'work', 'live', 'samples', 'files'];

const records = (n: number): string => `${number(n)} record${n === 1 ? '' : 's'}`;

/** An end has only the names of some records, and what to do. */
export const onlyNamesSentence = (end: 'Head office' | 'This site', giver: string, n: number): string =>
  `${end} could not take changes of ${records(n)} and has no room to keep them. It noted the names, and ${giver} keeps the records. Update ${end.toLowerCase()} and start it again: it then gets them by itself.`;

function owedSentence({ there, here }: Owed): string {
  const atOffice = there === 0 ? '' : ` ${onlyNamesSentence('Head office', 'this site', there)}`;
  return here === 0 ? atOffice : `${atOffice} ${onlyNamesSentence('This site', 'head office', here)}`;
}

type Owed = Custody['owed'];
const NONE_OWED: Owed = { there: 0, here: 0 };

export function linkSentence(of: {
  readonly state: LinkState;
  readonly waiting: number;
  readonly now: number;
  readonly last_contact_ms: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** How much head office has given back to a box that takes the place of another one. */
  readonly given_back?: GivenBack | null;
  /** The bytes of this month are used up. */
  readonly usedUp?: boolean;
  readonly owed?: Owed;
}): string {
  const { state, waiting, now, last_contact_ms, error, usedUp = false, given_back = null, owed = NONE_OWED } = of;
  const queued = waiting === 0 ? '' : ` ${changes(waiting)} wait${waiting === 1 ? 's' : ''} to be sent.`;
  const rest = queued + owedSentence(owed);
  switch (state) {
    case 'off':
      return 'This site works alone. It is not connected to head office.';
    case 'connecting':
      return `This site connects to head office.${rest}`;
    case 'in_step':
      return 'Head office has everything that this site has.';
    case 'catching_up':
      if (given_back !== null) return givenBackSentence(given_back);
      if (error !== null) return `${error.message}${rest}`;
      if (usedUp) return `The bytes of this month for the link are used up. Only alerts are sent.${rest}`;
      if (waiting === 0 && rest !== '') return rest.trimStart();
      return waiting === 0
        ? 'This site and head office compare and exchange data.'
        : `This site sends data to head office.${rest}`;
    case 'offline': {
      const since = last_contact_ms === null ? '' : ` for ${durationOf(Math.max(0, now - last_contact_ms))}`;
      return `There is no connection to head office${since}. This site works on and sends later.${rest}`;
    }
    case 'fenced':
      return 'Another computer uses the identity of this gateway, perhaps a copy of its disk. This one works on alone, and head office takes nothing from it. Stop one of the two. An admin of head office can choose which one is the site, by its mark, on the page Sites.';
    case 'revoked':
      if (error?.code === 'gateway_replaced') return `${error.message} ${REPLACED}`;
      return 'Head office has revoked this gateway, or does not know it any more. This site works on alone. Ask head office for a new code.';
    case 'refused':
      return `This site and head office cannot exchange data. ${error?.message ?? ''}`.trim();
  }
}

const filesText = (n: number): string => `${n} file${n === 1 ? '' : 's'}`;

export function custodySentence(
  { verdict, missing, quarantined, unbalanced, gaps, waiting, owed }: Custody,
  files: { readonly waiting: number; readonly lost: readonly string[] },
): string {
  const lost =
    files.lost.length === 0 ? '' : ` The content of ${filesText(files.lost.length)} is lost: neither end has it.`;
  const rest =
    files.waiting === 0
      ? lost
      : `${lost} ${filesText(files.waiting)} still wait${files.waiting === 1 ? 's' : ''} to be sent.`;
  const isClean = verdict === 'complete' && rest !== '';
  if (isClean) return `Head office has all records that this site made and holds.${rest}`;
  switch (verdict) {
    case 'complete':
      return 'Head office has everything that this site made and holds.';
    case 'declared_gap':
      return `Head office has everything but what ${gaps.length} gap record${gaps.length === 1 ? '' : 's'} name${gaps.length === 1 ? 's' : ''}.${rest}`;
    case 'not_settled':
      return waiting > 0 || owed.here === 0
        ? `${changes(Math.max(0, waiting))} still wait at one end, so nothing can be said yet. Compare again later.${owedSentence(owed)}${lost}`
        : `Nothing can be said yet.${owedSentence(owed)}${lost}`;
    case 'incomplete':
      return `Something is missing at head office: ${missing.length} documents, ${quarantined.length} commits that it could not take, and ${unbalanced.length} times in which something vanished here without a record.${owedSentence(owed)}${rest}`;
  }
}
