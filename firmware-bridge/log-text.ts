/** Reads log files that consist of lines of text, plain or gzip, piece by piece from the start to the end. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DENSE_AFTER_BYTES, DENSEST, type LogGap, type TextFormat } from '#codec/log-types.ts';
import { createRelativeTimes } from '#codec/times.ts';
import type { WallClock } from '#codec/wall-clock.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';

const NEWLINE = 10;
const PIECE_BYTES = 256 * 1024;
/** Longest line in bytes; the reader skips a longer line up to its end. A normal line has some hundred bytes. */
const LONGEST_LINE = 64 * 1024;

/** A piece of a file that consists of complete lines. Only the last line of the last piece may have no line end. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** The offset of the first byte in the unpacked file. */
  readonly at_byte: number;
  readonly final: boolean;
}

/** A gap that a reader reports. It does not say how many frames come before the gap, because the line reader does not count frames. */
export type PieceGap = Omit<LogGap, 'at_frame'>;

/**
 * Returns the lines of a file in pieces, from the byte `start` on (a gzip file always from byte 0), and unpacks a gzip file (RFC 1952). It sets `place.position` to the number of bytes read so far.
 * It calls `gap` if a gzip file is cut off, is damaged or unpacks to too much data, and if a line is too long. It rejects with the system
 * error when the file cannot be read.
 */
export async function* readLines(
  path: string,
  gzip: boolean,
  gap: (gap: PieceGap) => void,
  place: { position: number } = { position: 0 },
  start = 0,
): AsyncGenerator<Piece, void, undefined> {
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES, start });
  // `pipeline` passes a read error of the file to the gzip stream; the loop below then throws the error.
  const source = gzip ? pipeline(file, createGunzip({ chunkSize: PIECE_BYTES }), () => {}) : file;
  let rest: Buffer = Buffer.alloc(0);
  let at_byte = start;
  let endless = false;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      at_byte += chunk.length;
      place.position = start + file.bytesRead;
      if (gzip && at_byte > DENSE_AFTER_BYTES && at_byte > file.bytesRead * DENSEST) {
        const message = `The file unpacks to more than ${DENSEST} times its size, which no real log does; the rest was not read.`;
        gap({ code: 'too_dense', at_byte, message });
        return;
      }
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        if (endless) continue;
        rest = Buffer.concat([rest, chunk]);
        if (rest.length <= LONGEST_LINE) continue;
        gap({
          code: 'damaged',
          at_byte,
          message: `A line has more than ${LONGEST_LINE} bytes; the reader skipped it.`,
        });
        rest = Buffer.alloc(0);
        endless = true;
        continue;
      }
      const from = endless ? chunk.indexOf(NEWLINE) + 1 : 0;
      endless = false;
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(0, end)]) : chunk.subarray(from, end);
      rest = Buffer.from(chunk.subarray(end));
      if (bytes.length > 0) yield { bytes, at_byte: at_byte - rest.length - bytes.length, final: false };
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_')) throw error;
    gap(
      code === 'Z_BUF_ERROR'
        ? { code: 'cut', at_byte, message: 'The gzip file is cut off; all lines before the cut were read.' }
        : {
            code: 'damaged',
            at_byte,
            message: `The gzip file is damaged (${code}); all lines before the damage were read.`,
          },
    );
    return;
  } finally {
    file.destroy();
  }
  if (rest.length > 0) yield { bytes: rest, at_byte: at_byte - rest.length, final: true };
}

/** Reads the frames of one text file. The caller passes the pieces of the file in order. */
export interface TextReader {
  /** Returns the frames of a piece. The next call overwrites the returned batch. */
  read(piece: Piece): FrameBatch;
  readonly foundInfo: ReturnType<TextFormat['create']>['foundInfo'];
  readonly undated: boolean;
  readonly unparsable: number;
  readonly late: number;
}

/** Creates a reader for one file of the given format; `wall` converts dates without a time zone to UTC. */
export function createTextReader(format: TextFormat, wall: WallClock): TextReader {
  const parser = format.create(wall);
  const times = createRelativeTimes();
  const batch = new FrameBatch(8192);
  let unparsable = 0;
  let late = 0;
  let latest = Number.NEGATIVE_INFINITY;
  return {
    read({ bytes, final }) {
      batch.clear();
      unparsable += parser.parse(bytes, batch, final).unparsable;
      times.settle(batch);
      const { t, count } = batch;
      for (let i = 0; i < count; i++) {
        const at = t[i] as number;
        if (at < latest) late++;
        else latest = at;
      }
      return batch;
    },
    foundInfo: parser.foundInfo,
    get undated() {
      return times.undated;
    },
    get unparsable() {
      return unparsable;
    },
    get late() {
      return late;
    },
  };
}
