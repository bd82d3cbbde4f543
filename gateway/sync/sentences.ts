/** Sentences about the link between a site and head office, for people. */

import { part, say, type Told, type ToldPart, type ToldText } from '#contract/base/told.ts';
import type { LinkState, SyncLane } from '#contract/site/sync.ts';
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import type { Custody } from '#domain/sync/custody.ts';

const MINUTE_MS = 60_000;

/** Returns a duration in words, such as `3 hours`. */
export function durationOf(ms: number): ToldPart {
  if (ms < 2 * MINUTE_MS) return part('{n} second|{n} seconds', { n: Math.max(1, Math.round(ms / 1_000)) });
  if (ms < 120 * MINUTE_MS) return part('{n} minute|{n} minutes', { n: Math.round(ms / MINUTE_MS) });
  if (ms < 48 * 60 * MINUTE_MS) return part('{n} hour|{n} hours', { n: Math.round(ms / (60 * MINUTE_MS)) });
  return part('{n} day|{n} days', { n: Math.round(ms / (1_440 * MINUTE_MS)) });
}

const REPLACED =
  'Head office takes nothing from this box, and what it records is only here. Stop it. To use its computer for another site, install Headframe anew with an empty data folder. If this box is the right one after all, ask head office for a code that replaces the box of this site, and connect this box with it.';

const number = (n: number): string => n.toLocaleString('en');

/** How far head office is in giving a new box what it has of the site. */
export const givenBackSentence = ({ documents, of }: GivenBack): Told =>
  of === 0
    ? say('A new box takes the place of another one. Head office begins to give it the data of the site.')
    : say('A new box takes the place of another one. Head office has given back {documents} of about {of} records.', {
        documents: number(documents),
        of: number(of),
      });

/** The lane of each number of `#domain/sync/lanes.ts`. */
export const LANE_NAMES: readonly SyncLane['lane'][] = ['safety', 'alerts', 'work', 'live', 'samples', 'files'];

/** The records of which an end has only the names. */
const ONLY_NAMES = {
  office_of_this:
    'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.',
  office_of_site:
    'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.',
  site: 'This site could not take changes of {count} record and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.|This site could not take changes of {count} records and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.',
} as const;

/** An end has only the names of some records, and what to do. */
export const onlyNamesSentence = (of: keyof typeof ONLY_NAMES, n: number): Told => ({
  text: ONLY_NAMES[of],
  params: { n, count: number(n) },
});

function owedSentences({ there, here }: Owed): Told[] {
  return [
    ...(there === 0 ? [] : [onlyNamesSentence('office_of_this', there)]),
    ...(here === 0 ? [] : [onlyNamesSentence('site', here)]),
  ];
}

type Owed = Custody['owed'];
const NONE_OWED: Owed = { there: 0, here: 0 };

/** Why an exchange failed, as an error of the link has it. */
export interface WhyFailed {
  readonly code: string;
  readonly message: string;
  readonly words?: Told[] | undefined;
}

const whyWords = ({ message, words }: WhyFailed): ToldText => words ?? [{ text: message }];

export function linkSentence(of: {
  readonly state: LinkState;
  readonly waiting: number;
  readonly now: number;
  readonly last_contact_ms: number | null;
  readonly error: WhyFailed | null;
  /** How much head office has given back to a box that takes the place of another one. */
  readonly given_back?: GivenBack | null;
  /** The bytes of this month are used up. */
  readonly usedUp?: boolean;
  readonly owed?: Owed;
}): ToldText {
  const { state, waiting, now, last_contact_ms, error, usedUp = false, given_back = null, owed = NONE_OWED } = of;
  const queued =
    waiting === 0 ? [] : [say('{n} change waits to be sent.|{n} changes wait to be sent.', { n: waiting })];
  const rest = [...queued, ...owedSentences(owed)];
  switch (state) {
    case 'off':
      return [say('This site works alone. It is not connected to head office.')];
    case 'connecting':
      return [say('This site connects to head office.'), ...rest];
    case 'in_step':
      return [say('Head office has everything that this site has.')];
    case 'catching_up':
      if (given_back !== null) return [givenBackSentence(given_back)];
      if (error !== null) return [...whyWords(error), ...rest];
      if (usedUp) return [say('The bytes of this month for the link are used up. Only alerts are sent.'), ...rest];
      if (waiting === 0 && rest.length > 0) return rest;
      return waiting === 0
        ? [say('This site and head office compare and exchange data.')]
        : [say('This site sends data to head office.'), ...rest];
    case 'offline':
      return [
        last_contact_ms === null
          ? say('There is no connection to head office. This site works on and sends later.')
          : say('There is no connection to head office for {time}. This site works on and sends later.', {
              time: durationOf(Math.max(0, now - last_contact_ms)),
            }),
        ...rest,
      ];
    case 'fenced':
      return [
        say(
          'Another computer uses the identity of this gateway, perhaps a copy of its disk. This one works on alone, and head office takes nothing from it. Stop one of the two. An admin of head office can choose which one is the site, by its mark, on the page Sites.',
        ),
      ];
    case 'revoked':
      if (error?.code === 'gateway_replaced') return [...whyWords(error), say(REPLACED)];
      return [
        say(
          'Head office has revoked this gateway, or does not know it any more. This site works on alone. Ask head office for a new code.',
        ),
      ];
    case 'refused':
      return [
        say('This site and head office cannot exchange data.'),
        ...(error === null || error.message === '' ? [] : whyWords(error)),
      ];
  }
}

export function custodySentence(
  { verdict, missing, quarantined, unbalanced, gaps, waiting, owed }: Custody,
  files: { readonly waiting: number; readonly lost: readonly string[] },
): ToldText {
  const lost =
    files.lost.length === 0
      ? []
      : [
          say(
            'The content of {n} file is lost: neither end has it.|The content of {n} files is lost: neither end has it.',
            { n: files.lost.length },
          ),
        ];
  const rest =
    files.waiting === 0
      ? lost
      : [...lost, say('{n} file still waits to be sent.|{n} files still wait to be sent.', { n: files.waiting })];
  switch (verdict) {
    case 'complete':
      return rest.length > 0
        ? [say('Head office has all records that this site made and holds.'), ...rest]
        : [say('Head office has everything that this site made and holds.')];
    case 'declared_gap':
      return [
        say(
          'Head office has everything but what {n} gap record names.|Head office has everything but what {n} gap records name.',
          { n: gaps.length },
        ),
        ...rest,
      ];
    case 'not_settled':
      return [
        waiting > 0 || owed.here === 0
          ? say(
              '{n} change still waits at one end, so nothing can be said yet. Compare again later.|{n} changes still wait at one end, so nothing can be said yet. Compare again later.',
              { n: Math.max(0, waiting) },
            )
          : say('Nothing can be said yet.'),
        ...owedSentences(owed),
        ...lost,
      ];
    case 'incomplete':
      return [
        say(
          'Something is missing at head office: {missing} documents, {commits} commits that it could not take, and {times} times in which something vanished here without a record.',
          { missing: missing.length, commits: quarantined.length, times: unbalanced.length },
        ),
        ...owedSentences(owed),
        ...rest,
      ];
  }
}
