/** Reads log files that consist of lines, plain or gzip, forward and once, in pieces. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DENSE_AFTER_BYTES, DENSEST, type LogGap, type TextFormat } from '#codec/log-types.ts';
import { createRelativeTimes } from '#codec/times.ts';
import type { WallClock } from '#codec/wall-clock.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';

const NEWLINE = 10;
const PIECE_BYTES = 256 * 1024;
/** Lines have some hundred bytes. A longer line is skipped up to its end. */
const LONGEST_LINE = 64 * 1024;

/** Whole lines. The last line of the last piece may have no line end. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly final: boolean;
}

/** A gap without the number of frames before it, which the line reader does not know. */
export type PieceGap = Omit<LogGap, 'at_frame'>;

/**
 * Returns the lines of a file; a gzip file (RFC 1952 2.3.1) is unpacked. `place` holds the number of bytes read from the file. A gzip file
 * that is cut or damaged or unpacks to too much, and a line without an end, are reported to `gap`. Rejects with the error of the system
 * when the file cannot be read.
 */
export async function* readLines(
  path: string,
  gzip: boolean,
  gap: (gap: PieceGap) => void,
  place: { position: number } = { position: 0 },
): AsyncGenerator<Piece, void, undefined> {
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
  // `pipeline` passes an error of the file to the stream that is read here.
  const source = gzip ? pipeline(file, createGunzip({ chunkSize: PIECE_BYTES }), () => {}) : file;
  let rest: Buffer = Buffer.alloc(0);
  let at_byte = 0;
  let endless = false;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      at_byte += chunk.length;
      place.position = file.bytesRead;
      if (gzip && at_byte > DENSE_AFTER_BYTES && at_byte > file.bytesRead * DENSEST) {
        const message = `The file unpacks to more than ${DENSEST} times its size, which no log of a bus does; the rest is not read.`;
        gap({ code: 'too_dense', at_byte, message });
        return;
      }
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        if (endless) continue;
        rest = Buffer.concat([rest, chunk]);
        if (rest.length <= LONGEST_LINE) continue;
        gap({ code: 'damaged', at_byte, message: `A line without an end after ${rest.length} bytes; passed over.` });
        rest = Buffer.alloc(0);
        endless = true;
        continue;
      }
      const from = endless ? chunk.indexOf(NEWLINE) + 1 : 0;
      endless = false;
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(0, end)]) : chunk.subarray(from, end);
      rest = Buffer.from(chunk.subarray(end));
      if (bytes.length > 0) yield { bytes, final: false };
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_')) throw error;
    gap(
      code === 'Z_BUF_ERROR'
        ? { code: 'cut', at_byte, message: 'The gzip ends before its end; what is there is read.' }
        : { code: 'damaged', at_byte, message: `The gzip is broken here (${code}); what is before it is read.` },
    );
    return;
  } finally {
    file.destroy();
  }
  if (rest.length > 0) yield { bytes: rest, final: true };
}

/** Reads the frames of one text file, which the caller passes in pieces. */
export interface TextReader {
  /** Returns the frames of the piece. Each call overwrites the same batch. */
  read(piece: Piece): FrameBatch;
  readonly foundInfo: ReturnType<TextFormat['create']>['foundInfo'];
  readonly undated: boolean;
  readonly unparsable: number;
  readonly late: number;
}

/** Creates a reader for one file of the format; `wall` converts dates that name no zone. */
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
