/** Opens MF4 log files, including compressed and encrypted files. */
import { constants, inflateSync } from 'node:zlib';
import { LogFileError, type LogWrapping } from '#codec/log-types.ts';
import { isKnownVersion, mdf4Version } from '#codec/mdf4/blocks.ts';
import type { Inflate } from '#codec/mdf4/data.ts';
import { type Mdf4File, openMdf4 } from '#codec/mdf4/reader.ts';
import type { WallClock } from '#codec/wall-clock.ts';
import { openFileSource, unwrap } from './log-bytes.ts';
import type { PieceGap } from './log-text.ts';

const inflate: Inflate = (zipped, limit) =>
  inflateSync(zipped, {
    maxOutputLength: Math.max(1, limit),
    finishFlush: constants.Z_SYNC_FLUSH,
    // zlib writes its output into buffers of this size. With this size the whole output fits into one buffer, so zlib need not join
    // several.
    chunkSize: limit + 64,
  });

const HEAD_BYTES = 64;

/** Opens an MF4 file. Rejects with a `LogFileError` if the file is not a readable log, and with a system error if the disk fails. */
export async function openMdf4File(
  path: string,
  passwords: readonly string[],
  wall: WallClock,
  gap: (gap: PieceGap, at_frame: number) => void,
): Promise<Mdf4File & Disposable & { readonly wrapping: readonly LogWrapping[]; readonly position: number }> {
  const file = openFileSource(path);
  try {
    const { source, wrapping } = await unwrap(file, passwords);
    const head = new Uint8Array(HEAD_BYTES);
    const version = mdf4Version(head.subarray(0, source.read(0, head, 0, HEAD_BYTES)));
    if (version === undefined)
      throw new LogFileError(
        'not_a_log',
        'The packed or encrypted file contains no MF4 log; check that the right file was packed.',
      );
    if (!isKnownVersion(version))
      throw new LogFileError(
        'unsupported',
        `The file has MDF version ${(version / 100).toFixed(2)}, but only MDF 4 is supported. Convert it to MDF 4 with the program that wrote it.`,
      );
    const { info, counters, batches } = openMdf4(source, inflate, gap, wall);
    return {
      info,
      counters,
      batches,
      wrapping,
      get position() {
        return file.position;
      },
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}
