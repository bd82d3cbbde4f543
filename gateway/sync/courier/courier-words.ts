/** The sentences about bundles, for people who carry them. */
import type { CourierBundle, FilesLeft } from '#contract/site/sync-courier.ts';

type Said = Pick<
  CourierBundle,
  'way' | 'state' | 'site' | 'changes' | 'files' | 'files_left' | 'more' | 'not_taken' | 'skipped' | 'volume'
> & {
  readonly role: 'site' | 'cloud';
  /** Why files were left out, and of how many it is so. */
  readonly why: FilesLeft;
};

const many = (n: number, one: string, other: string): string => (n === 1 ? `1 ${one}` : `${n} ${other}`);

/** The state of a bundle, and what to do next. */
export function bundleSentence(of: Said): string {
  const { state, changes, files, files_left, more, not_taken, skipped, role } = of;
  const there = role === 'site' ? 'head office' : of.site;
  const what = [
    ...(changes > 0 || files === 0 ? [many(changes, 'change', 'changes')] : []),
    ...(files > 0 ? [many(files, 'photo or log', 'photos and logs')] : []),
  ].join(' and ');
  const said = {
    on_its_way: `${what} for ${there}. ${there[0]?.toUpperCase()}${there.slice(1)} has not confirmed it yet.`,
    confirmed: `${what} for ${there}. It has arrived.`,
    taken: `${what}. ${files_left > 0 ? 'All changes were' : 'Everything was'} taken.`,
    not_confirmed: `${what}. Everything was taken but live values. ${of.site} must connect once over a network, because one of the two ends was put back from a backup.`,
    incomplete: `${what}. The file ended early: import it again from a whole copy.`,
  }[state];
  const parts = [said];
  if (more)
    parts.push(
      of.way === 'made'
        ? 'Not everything fitted: make the next file.'
        : `This was file ${of.volume}; file ${of.volume + 1} of the same export has the rest.`,
    );
  if (files_left > 0) parts.push(...filesLeft(of, there));
  if (not_taken > 0)
    parts.push(`${many(not_taken, 'change was', 'changes were')} not taken: see the page about the other end.`);
  if (skipped.length > 0)
    parts.push(
      `${many(skipped.length, 'project is', 'projects are')} not in it: it needs one contact over a network first.`,
    );
  return parts.join(' ');
}

/** What people do about files that could not be taken. */
const ADVICE = {
  gap: (what) =>
    `${what} could not be joined, because earlier parts are not here: import the files of the export in their order.`,
  busy: (what, is) => `${what} ${is} arriving over the network now: nothing is to be done.`,
  full: (what) => `The disk had no room for ${what}: make room, and import the file again.`,
  disk: (what) => `The disk refused ${what} with an error: check the disk of this end, and import the file again.`,
  wrong: (what, is) =>
    `${what} ${is} damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.`,
  unknown: (what, is) =>
    `${what} ${is} not known here: import the earlier files of the export first, and then this one again.`,
  unreadable: (what, is) => `${what} could not be read here, and ${is} not in it: check the disk of this end.`,
} as const satisfies Record<keyof FilesLeft, (what: string, is: 'is' | 'are') => string>;

function filesLeft({ way, files_left, why }: Said, there: string): string[] {
  const said = Object.entries(ADVICE).flatMap(([reason, advice]) => {
    const n = why[reason as keyof FilesLeft] ?? 0;
    return n === 0 ? [] : [advice(filesOf(n), n === 1 ? 'is' : 'are')];
  });
  const waiting = way === 'made' ? files_left - (why.unreadable ?? 0) : 0;
  if (waiting > 0) said.push(`${filesOf(waiting)} for ${there} ${waiting === 1 ? 'waits' : 'wait'} for the next file.`);
  return said;
}

const filesOf = (n: number): string => many(n, 'photo or log', 'photos and logs');
