/** Photos, logs and other files between a site and head office: the file that is on its way, what waits, and why. */
import type { LinkFiles } from '#contract/site/sync-files.ts';
import { duration, moment } from '#ui/format.ts';
import { PAUSE_WORDS, sizeText } from './sync-words.ts';

const DIRECTIONS = { up: 'To head office', down: 'From head office' } as const;

const files = (n: number): string => `${n.toLocaleString('en')} ${n === 1 ? 'file' : 'files'}`;

/** The file that is on its way. */
function Current({ current, now, files: of }: { current: LinkFiles['current']; now: number; files: LinkFiles }) {
  if (current === null) return null;
  const { bytes_per_second: speed } = of;
  const name = current.name ?? 'A file without a name';
  const rest_ms = speed === null || speed <= 0 ? null : ((current.bytes - current.done) / speed) * 1_000;
  return (
    <div class="file-moves">
      <p>
        {DIRECTIONS[current.direction]}: <b>{name}</b>
      </p>
      <progress aria-label={`${name} has arrived so far`} max={Math.max(1, current.bytes)} value={current.done} />
      <small>
        {sizeText(current.done)} of {sizeText(current.bytes)}
        {speed !== null && `, ${sizeText(speed)} a second`}
        {rest_ms !== null && of.expected_at !== null && `, ready in about ${duration(rest_ms)}`}
        {of.expected_at !== null &&
          of.waiting > 1 &&
          `. All files in about ${duration(Date.parse(of.expected_at) - now)}`}
      </small>
    </div>
  );
}

/** Why no file moves now. */
export function pausedWords({ paused, error }: LinkFiles, now: number, timezone: string): string | null {
  if (error !== null) return `Files do not move now: ${error.message} Everything else goes on.`;
  if (paused === null) return null;
  const until = paused.until === null ? '' : ` They go on ${moment(Date.parse(paused.until), now, timezone)}.`;
  return `${PAUSE_WORDS[paused.why]}${until}`;
}

export const waitingFiles = ({ waiting, waiting_bytes }: LinkFiles): string =>
  `${waiting >= 10_000 ? 'At least 10,000 files' : files(waiting)}, ${sizeText(waiting_bytes)}`;

export function FilesOfLink({ of, now, timezone }: { of: LinkFiles; now: number; timezone: string }) {
  const why = of.waiting > 0 ? pausedWords(of, now, timezone) : null;
  return (
    <section class="panel-box" aria-label="Photos and logs">
      <h2>Photos and logs</h2>
      <p role="status">
        {of.waiting === 0 ? 'No file waits: both ends have all photos and logs.' : `${waitingFiles(of)} still to move.`}
      </p>
      {why !== null && <p class={of.error === null ? 'waiting' : 'problem'}>{why}</p>}
      <Current current={of.current} now={now} files={of} />
    </section>
  );
}
