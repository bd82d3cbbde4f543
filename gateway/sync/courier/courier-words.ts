/** The sentences about bundles, for people who carry them. */
import { part, say, type Told, type ToldPart, type ToldText } from '#contract/base/told.ts';
import type { CourierBundle, FilesLeft } from '#contract/site/sync-courier.ts';

type Said = Pick<
  CourierBundle,
  'way' | 'state' | 'site' | 'changes' | 'files' | 'files_left' | 'more' | 'not_taken' | 'skipped' | 'volume'
> & {
  readonly role: 'site' | 'cloud';
  /** Why files were left out, and of how many it is so. */
  readonly why: FilesLeft;
};

/** What a bundle has. */
function contents({ changes, files }: Said): ToldPart {
  if (files === 0) return part('{n} change|{n} changes', { n: changes });
  if (changes === 0) return part('{n} photo or log|{n} photos and logs', { n: files });
  if (files === 1) return part('{n} change and 1 photo or log|{n} changes and 1 photo or log', { n: changes });
  return part('{n} change and {files} photos and logs|{n} changes and {files} photos and logs', { n: changes, files });
}

function stateWords(of: Said): Told {
  const { state, files_left, role, site } = of;
  const what = contents(of);
  switch (state) {
    case 'on_its_way':
      return role === 'site'
        ? say('{what} for head office. Head office has not confirmed it yet.', { what })
        : say('{what} for {site}. {site} has not confirmed it yet.', { what, site });
    case 'confirmed':
      return role === 'site'
        ? say('{what} for head office. It has arrived.', { what })
        : say('{what} for {site}. It has arrived.', { what, site });
    case 'taken':
      return files_left > 0
        ? say('{what}. All changes were taken.', { what })
        : say('{what}. Everything was taken.', { what });
    case 'not_confirmed':
      return say(
        '{what}. Everything was taken but live values. {site} must connect once over a network, because one of the two ends was put back from a backup.',
        { what, site },
      );
    case 'incomplete':
      return say('{what}. The file ended early: import it again from a whole copy.', { what });
  }
}

/** The state of a bundle, and what to do next. */
export function bundleSentence(of: Said): ToldText {
  const { files_left, more, not_taken, skipped, volume } = of;
  const parts = [stateWords(of)];
  if (more)
    parts.push(
      of.way === 'made'
        ? say('Not everything fitted: make the next file.')
        : say('This was file {volume}; file {next} of the same export has the rest.', { volume, next: volume + 1 }),
    );
  if (files_left > 0) parts.push(...filesLeft(of));
  if (not_taken > 0)
    parts.push(
      say(
        '{n} change was not taken: see the page about the other end.|{n} changes were not taken: see the page about the other end.',
        { n: not_taken },
      ),
    );
  if (skipped.length > 0)
    parts.push(
      say(
        '{n} project is not in it: it needs one contact over a network first.|{n} projects are not in it: they need one contact over a network first.',
        { n: skipped.length },
      ),
    );
  return parts;
}

/** What people do about files that could not be taken. */
const ADVICE = {
  gap: '{n} photo or log could not be joined, because earlier parts are not here: import the files of the export in their order.|{n} photos and logs could not be joined, because earlier parts are not here: import the files of the export in their order.',
  busy: '{n} photo or log is arriving over the network now: nothing is to be done.|{n} photos and logs are arriving over the network now: nothing is to be done.',
  full: 'The disk had no room for {n} photo or log: make room, and import the file again.|The disk had no room for {n} photos and logs: make room, and import the file again.',
  disk: 'The disk refused {n} photo or log with an error: check the disk of this end, and import the file again.|The disk refused {n} photos and logs with an error: check the disk of this end, and import the file again.',
  wrong:
    '{n} photo or log is damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.|{n} photos and logs are damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.',
  unknown:
    '{n} photo or log is not known here: import the earlier files of the export first, and then this one again.|{n} photos and logs are not known here: import the earlier files of the export first, and then this one again.',
  unreadable:
    '{n} photo or log could not be read here, and is not in it: check the disk of this end.|{n} photos and logs could not be read here, and are not in it: check the disk of this end.',
} as const satisfies Record<keyof FilesLeft, string>;

function filesLeft({ way, files_left, why, role, site }: Said): Told[] {
  const said: Told[] = Object.entries(ADVICE).flatMap(([reason, text]) => {
    const n = why[reason as keyof FilesLeft] ?? 0;
    return n === 0 ? [] : [{ text, params: { n } }];
  });
  const n = way === 'made' ? files_left - (why.unreadable ?? 0) : 0;
  if (n > 0)
    said.push(
      role === 'site'
        ? say(
            '{n} photo or log for head office waits for the next file.|{n} photos and logs for head office wait for the next file.',
            { n },
          )
        : say(
            '{n} photo or log for {site} waits for the next file.|{n} photos and logs for {site} wait for the next file.',
            { n, site },
          ),
    );
  return said;
}
