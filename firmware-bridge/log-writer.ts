/** The output formats for frames, except MF4 (see `mdf4-file.ts`). */
import { AscWriter } from '#codec/asc-writer.ts';
import { formatCandump } from '#codec/candump.ts';
import { CsvWriter } from '#codec/csv.ts';
import { formatSlcan } from '#codec/slcan.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';

/** Converts frames to the bytes of one file. The caller passes the batches in order. */
export interface LogWriter {
  write(batch: FrameBatch): Uint8Array;
  /** Returns the bytes that follow the last frame; call it once at the end. */
  end(): Uint8Array;
}

const NOTHING = new Uint8Array(0);
const plain = (write: (batch: FrameBatch) => Uint8Array): LogWriter => ({ write, end: () => NOTHING });

interface WrittenRow {
  readonly create: () => LogWriter;
  /** Description of the format for help texts. */
  readonly is: string;
  /** If a file name has one of these endings, the file is written in this format. */
  readonly names: readonly string[];
}

/** The output formats by the name that `--to` accepts. */
export const WRITTEN = {
  candump: {
    create: () => plain((batch) => formatCandump(batch)),
    is: 'candump -L',
    names: ['.log', '.txt', '.candump'],
  },
  console: {
    create: () => plain((batch) => formatCandump(batch, 0, batch.count, 'console')),
    is: 'what candump prints, for people',
    names: [],
  },
  asc: { create: () => new AscWriter(), is: 'Vector ASC', names: ['.asc'] },
  'csv-frames': {
    create: () => new CsvWriter(),
    is: 'a row for each frame, its bytes in hexadecimal',
    names: ['.csv'],
  },
  slcan: {
    create: () => plain((batch) => formatSlcan(batch, 0, batch.count, true)),
    is: 'the text that a serial adapter sends; it has no bus number, no date and no error frames',
    names: ['.slcan'],
  },
} as const satisfies Record<string, WrittenRow>;

export type WrittenFormat = keyof typeof WRITTEN;

/** Returns the format for the ending of a file name; undefined when no format has that ending. */
export function formatOfName(path: string): WrittenFormat | undefined {
  const name = path.toLowerCase();
  return (Object.keys(WRITTEN) as WrittenFormat[]).find((format) =>
    WRITTEN[format].names.some((end) => name.endsWith(end)),
  );
}
