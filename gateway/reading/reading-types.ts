/** What the reading of a file returns, its limits, and the messages between the main thread and the thread that reads. */
import type { GivenFile, ReadGap } from '#contract/site/setup.ts';
import type { SitePlan } from '#domain/planner/plan-types.ts';

/** What is read of one file at most. What is beyond is a gap. */
export const READ_BOUNDS = {
  sheets: 20,
  rows: 5_000,
  /** The planner reads tables of at most 40 columns. */
  columns: 40,
  cell: 300,
  pages: 50,
  /** Lines of a text that is no table. */
  lines: 10_000,
  gaps: 20,
  /** Characters of the message of a gap. */
  message: 500,
  /** Characters of the name of a sheet. Spreadsheet programs write at most 31. */
  name: 31,
  /** Bytes to which an XLSX file may unpack, and its number of parts. */
  unpacked: 32 * 1024 * 1024,
  parts: 2_000,
} as const;

/** A line of the text of a file, and where it stands: `sheet Fleet, row` and 7. An empty line divides two sheets or pages. */
export interface ReadLine {
  readonly text: string;
  readonly part: string;
  readonly n: number;
}

/** A gap without the name of its file. */
export type PartGap = Omit<ReadGap, 'file'>;

export interface FileText {
  readonly lines: readonly ReadLine[];
  readonly gaps: readonly PartGap[];
  /** True if the text is a table: it lists what is there, and is no prose. */
  readonly isTable: boolean;
}

/** A file that cannot be read. The message says why, and the remedy what to do. */
export class Unreadable extends Error {
  readonly gap: PartGap;
  constructor(gap: PartGap, cause?: unknown) {
    super(gap.message, cause === undefined ? undefined : { cause });
    this.name = 'Unreadable';
    this.gap = gap;
  }
}

export type ReadingJob = { readonly read: GivenFile } | { readonly plan: string };

/** The answer of the thread to a job. */
export type ReadingAnswer<J extends ReadingJob> = J extends { readonly read: GivenFile } ? FileText : SitePlan;
