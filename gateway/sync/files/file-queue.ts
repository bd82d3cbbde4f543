/** Which files a site sends or fetches next. */
import type { Stored, View } from '#contract/base/view.ts';
import type { ArtifactData, ArtifactKind } from '#contract/work/artifact.ts';
import { walk } from '#store/walk.ts';

/** The most files that are counted. */
const MOST_COUNTED = 10_000;
/** Of this many files, one is of the class that comes last. */
const FLOOR_EVERY = 4;
const CHUNK = 100;

export type FileRecord = Stored<ArtifactData>;

/** Photos of people come first, then the short recordings around alerts, then logs, then pictures of cameras. */
const CLASSES: readonly (readonly ArtifactKind[])[] = [['image'], ['blackbox'], ['mf4', 'file', 'clip'], ['frame']];
/** The place of a kind in this order. */
export function classOf(kind: ArtifactKind): number {
  const at = CLASSES.findIndex((kinds) => kinds.includes(kind));
  return at < 0 ? CLASSES.length : at;
}

/** Files whose content one of the two ends lacks. */
export const OPEN: readonly ArtifactData['replication'][] = ['queued', 'local'];

export interface Waiting {
  readonly files: number;
  readonly bytes: number;
}

export class FileQueue {
  readonly #isSkipped: (record: FileRecord) => boolean;
  #picked = 0;

  /** `isSkipped`: files that cannot move now. */
  constructor(isSkipped: (record: FileRecord) => boolean) {
    this.#isSkipped = isSkipped;
  }

  /** The next files of a project, at most `limit`: those that somebody asked for, else those of one class. */
  async next(view: View, limit: number): Promise<FileRecord[]> {
    const wanted = await this.wanted(view, limit);
    if (wanted.length > 0) return wanted;
    const isFloor = ++this.#picked % FLOOR_EVERY === 0;
    for (const kinds of isFloor ? [...CLASSES].reverse() : CLASSES) {
      const found: FileRecord[] = [];
      for (const kind of kinds) found.push(...(await this.#find(view, { 'data.kind': kind }, limit - found.length)));
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The files that somebody asked for, the earliest question first. */
  async wanted(view: View, limit: number): Promise<FileRecord[]> {
    const found = await this.#find(view, { 'data.wanted_at': { gt: '' } }, limit);
    return found.sort((a, b) => ((a.data.wanted_at ?? '') < (b.data.wanted_at ?? '') ? -1 : 1));
  }

  async #find(view: View, where: Record<string, string | { gt: string }>, limit: number): Promise<FileRecord[]> {
    const found: FileRecord[] = [];
    for (const mark of OPEN)
      for await (const record of walk<ArtifactData>(
        view,
        'records',
        { object: 'artifact', where: { ...where, 'data.replication': mark } },
        CHUNK,
      )) {
        if (found.length >= limit) return found;
        if (!this.#isSkipped(record)) found.push(record);
      }
    return found;
  }

  /** How much waits, counted up to a limit. */
  async count(view: View, isLost: (id: string) => boolean): Promise<Waiting> {
    let files = 0;
    let bytes = 0;
    for (const mark of OPEN)
      for await (const { id, data } of walk<ArtifactData>(view, 'records', {
        object: 'artifact',
        where: { 'data.replication': mark },
      })) {
        if (files >= MOST_COUNTED) return { files, bytes };
        if (isLost(id)) continue;
        files++;
        bytes += data.bytes;
      }
    return { files, bytes };
  }
}
