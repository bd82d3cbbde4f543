/** Sentences about a file that is at the other end, and the sums with which both ends compare their files. */
import { say, spoken, type ToldText } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import { FILE_GROUPS, type FileAsked, type FilesPaused, type FileTransfer } from '#contract/site/sync-files.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { Artifacts } from '#store/artifacts.ts';
import { durationOf, type WhyFailed } from './sentences.ts';

/** Returns a size in words, such as `48 MB`. */
function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'] as const;
  let n = bytes;
  let unit = 0;
  while (n >= 1_000 && unit < units.length - 1) {
    n /= 1_000;
    unit++;
  }
  return `${n < 10 && unit > 0 ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

const PAUSES: Readonly<Record<FilesPaused['why'], string>> = {
  budget: 'The bytes that are left of this month for the link are too few for it, so it waits for the next month.',
  window: 'Files are sent only in the hours that were chosen for them.',
  metered: 'The link costs money, so large files wait until somebody asks for them.',
};

/** What one end knows of a file that is not here. */
export interface Away {
  /** Name of the other end, such as `Quarry North`. */
  readonly at: string;
  readonly received: number;
  /** The other end said that it does not have the file either. */
  readonly missing: boolean;
  /** The file does not come by itself. */
  readonly elsewhere: boolean;
  /** How long there has been no contact; null while there is one. */
  readonly silent_ms: number | null;
  readonly paused: FilesPaused | null;
  readonly error: Pick<WhyFailed, 'message' | 'words'> | null;
  readonly bytes_per_second: number | null;
  /** Bytes that come before this file, at most. */
  readonly ahead_bytes: number;
}

/** Says where a file is that is not here, and when it comes. */
export function awayState(file: FileAsked, away: Away, now: number): FileTransfer {
  const { bytes, artifact_id, wanted_at } = file;
  const base = { object: 'file_transfer', artifact_id, bytes, received: away.received, wanted_at } as const;
  if (away.missing)
    return {
      ...base,
      state: 'missing',
      expected_at: null,
      ...spoken([say('The content of this file is lost: {at} does not have it either.', { at: away.at })]),
    };
  const rest = bytes - away.received;
  const state = away.received > 0 ? 'arriving' : away.elsewhere && wanted_at === null ? 'elsewhere' : 'waiting';
  const { at } = away;
  const size = sizeOf(bytes);
  const where =
    away.received > 0
      ? say('The content of this file ({size}, of which {received} are here) is at {at}.', {
          size,
          received: sizeOf(away.received),
          at,
        })
      : say('The content of this file ({size}) is at {at}.', { size, at });
  if (state === 'elsewhere')
    return { ...base, state, expected_at: null, ...spoken([where, say('Ask for it, and it is sent first.')]) };
  const isPaused = away.paused !== null && (wanted_at === null || away.paused.why === 'budget');
  const canMove = away.silent_ms === null && !isPaused && away.error === null && (away.bytes_per_second ?? 0) > 0;
  const ahead = wanted_at === null ? away.ahead_bytes : 0;
  const wait_ms = canMove ? ((rest + ahead) / (away.bytes_per_second as number)) * 1_000 : null;
  const when: ToldText =
    away.silent_ms !== null
      ? [
          say('There has been no contact for {time}. It comes when there is a connection again.', {
            time: durationOf(away.silent_ms),
          }),
        ]
      : isPaused
        ? [say(PAUSES[(away.paused as FilesPaused).why])]
        : away.error !== null
          ? [say('Files do not move now:'), ...(away.error.words ?? [{ text: away.error.message }])]
          : wait_ms === null
            ? [say('It comes after more urgent data.')]
            : [say('It comes in about {time}.', { time: durationOf(wait_ms) })];
  const expected_at = wait_ms === null ? null : new Date(now + wait_ms).toISOString();
  return { ...base, state, expected_at, ...spoken([where, ...when]) };
}

export const hereState = ({ artifact_id, bytes, wanted_at }: FileAsked, sentence: string): FileTransfer => ({
  object: 'file_transfer',
  artifact_id,
  state: 'here',
  bytes,
  received: bytes,
  wanted_at,
  expected_at: null,
  sentence,
});

/** The state of a file at a site without head office. */
export async function aloneState(artifacts: Pick<Artifacts, 'find'>, file: FileAsked): Promise<FileTransfer> {
  if ((await artifacts.find(file.sha256))?.bytes === file.bytes) return hereState(file, 'This file is here.');
  const sentence = 'The content of this file is not here, and this site is not connected to head office.';
  return { ...hereState(file, sentence), state: 'missing', received: 0 };
}

const MOD = 2n ** 128n;

/** The group of a file. */
export const groupOf = (sha256: string): number => Number.parseInt(sha256.slice(0, 2), 16);

/** Sums of files by group. Two ends have the same files exactly if their sums are equal. */
export class FileSums {
  readonly #sums = Array.from({ length: FILE_GROUPS }, () => 0n);

  add({ id, data: { sha256 } }: Stored<ArtifactData>): void {
    const group = groupOf(sha256);
    const entry = BigInt(`0x${sha256.slice(0, 32)}`) ^ idNumber(id);
    this.#sums[group] = ((this.#sums[group] as bigint) + entry) % MOD;
  }

  text(): string[] {
    return this.#sums.map((sum) => sum.toString(16).padStart(32, '0'));
  }

  /** The groups in which another end has other files. */
  differs(others: readonly string[]): number[] {
    const own = this.text();
    return own.flatMap((sum, group) => (sum === others[group] ? [] : [group]));
  }
}

/** The last characters of an id as a number, so that two records of one content do not cancel each other out. */
const idNumber = (id: string): bigint => BigInt(`0x${Buffer.from(id.slice(-16)).toString('hex')}`);
