/** The ways out for frames: every format that is written, as bytes of one file from its beginning to its end. */
import { AscWriter } from '#codec/asc-writer.ts';
import { formatCandump } from '#codec/candump.ts';
import { CsvWriter } from '#codec/csv.ts';
import { formatSlcan } from '#codec/slcan.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';

/** Turns batches into the bytes of one file, in their order. */
export interface LogWriter {
  write(batch: FrameBatch): Uint8Array;
  /** What follows the last frame. */
  end(): Uint8Array;
}

const NOTHING = new Uint8Array(0);
const plain = (write: (batch: FrameBatch) => Uint8Array): LogWriter => ({ write, end: () => NOTHING });

interface WrittenRow {
  readonly create: () => LogWriter;
  /** What it is, for help texts. */
  readonly is: string;
  /** Ends of file names that mean it. */
  readonly names: readonly string[];
}

/** The formats that are written. */
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
    is: 'what a serial adapter sends: no bus, no date, no error frames',
    names: ['.slcan'],
  },
} as const satisfies Record<string, WrittenRow>;

export type WrittenFormat = keyof typeof WRITTEN;

/** The format that the name of a file means; undefined when it means none. */
export function formatOfName(path: string): WrittenFormat | undefined {
  const name = path.toLowerCase();
  return (Object.keys(WRITTEN) as WrittenFormat[]).find((format) =>
    WRITTEN[format].names.some((end) => name.endsWith(end)),
  );
}
