/** `headframe convert`: a log of any format that is read, as one of any format that is written. */
import { extname } from 'node:path';
import { formatOfName, WRITTEN, type WrittenFormat } from '#bridge/log-writer.ts';
import { CommandError } from './command-line.ts';
import { createFilter, type FilterArgs } from './frame-filter.ts';
import { openLogInput, shortcomings } from './log-input.ts';
import { createProgress } from './log-progress.ts';
import { openOutput } from './output.ts';
import { EXIT } from './supervisor.ts';

/** What the command line gives, as text. */
export interface ConvertArgs extends FilterArgs {
  readonly file: string;
  readonly to?: string | undefined;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
  readonly password?: string | undefined;
}

/** Converts; resolves to the exit code, which is a fault's when no frame came out. What was not read is told on standard error. */
export async function runConvert(args: ConvertArgs): Promise<number> {
  const format = formatOf(args);
  const keep = createFilter(args);
  await using input = await openLogInput(args.file, args.password);
  await using output = await openOutput(args.out ?? '-', args.force === true);
  const writer = WRITTEN[format].create();
  const progress = createProgress(input.name);
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stopped = true;
    });
  let frames = 0;
  for await (const batch of input.batches()) {
    const kept = keep(batch);
    output.write(writer.write(kept));
    frames += kept.count;
    progress.tell(batch);
    await output.room();
    if (output.closed || stopped) break;
  }
  progress.end();
  if (stopped) throw new CommandError('Stopped; nothing was kept.', EXIT.fault);
  output.write(writer.end());
  await output.end();
  const lines = shortcomings(input.log);
  if (args.out !== undefined && args.out !== '-')
    lines.unshift(`${frames.toLocaleString('en')} frames of ${input.name} written to ${args.out}.`);
  else if (frames === 0) lines.push(`No frame of ${input.name} was meant.`);
  for (const line of lines) process.stderr.write(`${line}\n`);
  return frames > 0 ? EXIT.ok : EXIT.fault;
}

function formatOf({ to, out }: ConvertArgs): WrittenFormat {
  const known = Object.keys(WRITTEN).join(', ');
  if (to !== undefined) {
    if (Object.hasOwn(WRITTEN, to)) return to as WrittenFormat;
    throw new CommandError(`--to must be one of ${known}.`, EXIT.usage);
  }
  const meant = out === undefined ? undefined : formatOfName(out);
  if (meant !== undefined) return meant;
  const why = out === undefined || out === '-' ? '' : ` The end ${extname(out) || '(none)'} of --out means none.`;
  throw new CommandError(`--to says which format: ${known}.${why}`, EXIT.usage);
}
