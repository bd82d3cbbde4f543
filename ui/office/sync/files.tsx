/** Photos, logs and other files between a site and head office: the file that is on its way, what waits, and why. */

import type { ComponentChildren } from 'preact';
import type { LinkFiles } from '#contract/site/sync-files.ts';
import { duration, moment } from '#ui/format.ts';
import { language, said, t } from '#ui/languages/texts.ts';
import { Told } from '#ui/office/base/parts.tsx';
import { PAUSE_WORDS, sizeText } from './sync-words.ts';

const DIRECTIONS = {
  up: 'To head office: {name}',
  down: 'From head office: {name}',
} as const;

const filesText = (n: number): string =>
  t('{n} file|{n} files', { n }).replace(String(n), n.toLocaleString(language().tag));

/** The file that is on its way. */
function Current({ current, now, files: of }: { current: LinkFiles['current']; now: number; files: LinkFiles }) {
  if (current === null) return null;
  const { bytes_per_second: speed } = of;
  const name = current.name ?? t('A file without a name');
  const rest_ms = speed === null || speed <= 0 ? null : ((current.bytes - current.done) / speed) * 1_000;
  return (
    <div class="file-moves">
      <p>{said(DIRECTIONS[current.direction], { name: <b>{name}</b> })}</p>
      <progress
        aria-label={t('{name} has arrived so far', { name })}
        max={Math.max(1, current.bytes)}
        value={current.done}
      />
      <small>
        {t('{part} of {whole}', { part: sizeText(current.done), whole: sizeText(current.bytes) })}
        {speed !== null && `, ${t('{size} a second', { size: sizeText(speed) })}`}
        {rest_ms !== null && of.expected_at !== null && `, ${t('ready in about {time}', { time: duration(rest_ms) })}`}
        {of.expected_at !== null &&
          of.waiting > 1 &&
          `. ${t('All files in about {time}', { time: duration(Date.parse(of.expected_at) - now) })}`}
      </small>
    </div>
  );
}

/** Why no file moves now; null if nothing stops them. */
export function paused({ paused: why, error }: LinkFiles, now: number, timezone: string): ComponentChildren {
  if (error !== null)
    return said('Files do not move now: {message} Everything else goes on.', {
      message: <Told text={error.message} />,
    });
  if (why === null) return null;
  const until =
    why.until === null ? '' : ` ${t('They go on {time}.', { time: moment(Date.parse(why.until), now, timezone) })}`;
  return `${t(PAUSE_WORDS[why.why])}${until}`;
}

export const waitingFiles = ({ waiting, waiting_bytes }: LinkFiles): string =>
  `${waiting >= 10_000 ? t('At least 10,000 files') : filesText(waiting)}, ${sizeText(waiting_bytes)}`;

export function FilesOfLink({ of, now, timezone }: { of: LinkFiles; now: number; timezone: string }) {
  const why = of.waiting > 0 ? paused(of, now, timezone) : null;
  return (
    <section class="panel-box" aria-label={t('Photos and logs')}>
      <h2>{t('Photos and logs')}</h2>
      <p role="status">
        {of.waiting === 0
          ? t('No file waits: both ends have all photos and logs.')
          : t('{files} still to move.', { files: waitingFiles(of) })}
      </p>
      {why !== null && <p class={of.error === null ? 'waiting' : 'problem'}>{why}</p>}
      <Current current={of.current} now={now} files={of} />
    </section>
  );
}
