/** `headframe convert`: converts a log of any supported input format to any supported output format. */

import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';
import { type TableArgs, tableOptions, writeTable } from './convert-csv.ts';
import { createFilter } from './frame-filter.ts';
import { openFrameSink, type SinkFormat, sinkFormat } from './frame-sink.ts';
import { assumptions, type LogArgs, type LogInput, openLogInput, shortcomings } from './log-input.ts';
import { openOutput } from './output.ts';
import { createProgress } from './progress.ts';

/** The arguments of `headframe convert`, as text. */
export interface ConvertArgs extends TableArgs, LogArgs {
  readonly file: string;
  readonly to?: string | undefined;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
}

/** The name in `--to` for decoded values; `csv-frames` is the name for frames as CSV. */
const TABLE = 'csv';

/** Returns the output format that `--to` names, otherwise the format for the ending of the output file name. */
function formatOf({ to, out }: ConvertArgs): SinkFormat | typeof TABLE {
  if (to === TABLE || (to === undefined && out !== undefined && /\.csv$/i.test(out))) return TABLE;
  return sinkFormat(to, out, undefined, [TABLE]);
}

/**
 * Converts a log and prints on standard error the parts that could not be read. Resolves to the exit code, which is `EXIT.fault` when
 * nothing was written.
 */
export async function runConvert(args: ConvertArgs): Promise<number> {
  const format = formatOf(args);
  createFilter(args);
  tableOptions(args);
  if (format !== TABLE && (args.signal !== undefined || args.every !== undefined))
    throw new CommandError('--signal and --every apply only to decoded values; use them with --to csv.', EXIT.usage);
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stopped = true;
    });
  const isStopped = () => stopped;
  await using input = await openLogInput(args.file, args);
  const { written, what, notes } =
    format === TABLE ? await toTable(input, args, isStopped) : await toFrames(input, format, args, isStopped);
  const lines = [...notes, ...assumptions(input.log), ...shortcomings(input.log)];
  if (written > 0 && args.out !== undefined && args.out !== '-')
    lines.unshift(`${what} of ${input.name} written to ${args.out}.`);
  for (const line of lines) process.stderr.write(`${line}\n`);
  return written > 0 ? EXIT.ok : EXIT.fault;
}

interface Converted {
  /** Number of frames, or of table rows, that were written. */
  readonly written: number;
  readonly what: string;
  readonly notes: readonly string[];
}

const stop = () => new CommandError('Stopped before the end; no output file was written.', EXIT.fault);

async function toTable(input: LogInput, args: ConvertArgs, isStopped: () => boolean): Promise<Converted> {
  await using output = await openOutput(args.out ?? '-', args.force === true);
  const progress = createProgress(input.name);
  const { rows, columns, notes } = await writeTable(input, output, args, isStopped, (batch) => progress.tell(batch));
  progress.end();
  if (isStopped()) throw stop();
  if (rows > 0) await output.end();
  return { written: rows, what: `${rows.toLocaleString('en')} rows of ${columns} columns`, notes };
}

async function toFrames(
  input: LogInput,
  format: SinkFormat,
  args: ConvertArgs,
  isStopped: () => boolean,
): Promise<Converted> {
  const keep = createFilter(args);
  const about = { info: input.log.info, written_ms: Date.now() };
  await using output = await openFrameSink(format, args.out ?? '-', args.force === true, about);
  const progress = createProgress(input.name);
  let frames = 0;
  for await (const batch of input.batches()) {
    const kept = keep(batch);
    output.write(kept);
    frames += kept.count;
    progress.tell(batch);
    await output.room();
    if (output.closed || isStopped()) break;
  }
  progress.end();
  if (isStopped()) throw stop();
  await output.end();
  const toFile = args.out !== undefined && args.out !== '-';
  return {
    written: frames,
    what: `${frames.toLocaleString('en')} frames`,
    notes: frames === 0 && !toFile ? [`No frame of ${input.name} matches the flags.`] : [],
  };
}
