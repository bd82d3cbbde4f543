/** `headframe convert`: a log of any format that is read, as one of any format that is written. */

import { EXIT } from '#box/supervisor.ts';
import { CommandError } from './command-line.ts';
import { createFilter, type FilterArgs } from './frame-filter.ts';
import { openFrameSink, sinkFormat } from './frame-sink.ts';
import { assumptions, type LogArgs, openLogInput, shortcomings } from './log-input.ts';
import { createProgress } from './log-progress.ts';

/** What the command line gives, as text. */
export interface ConvertArgs extends FilterArgs, LogArgs {
  readonly file: string;
  readonly to?: string | undefined;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Converts; resolves to the exit code, which is a fault's when no frame came out. What was not read is told on standard error. */
export async function runConvert(args: ConvertArgs): Promise<number> {
  const format = sinkFormat(args.to, args.out);
  const keep = createFilter(args);
  await using input = await openLogInput(args.file, args);
  const about = { info: input.log.info, written_ms: Date.now() };
  await using output = await openFrameSink(format, args.out ?? '-', args.force === true, about);
  const progress = createProgress(input.name);
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stopped = true;
    });
  let frames = 0;
  for await (const batch of input.batches()) {
    const kept = keep(batch);
    output.write(kept);
    frames += kept.count;
    progress.tell(batch);
    await output.room();
    if (output.closed || stopped) break;
  }
  progress.end();
  if (stopped) throw new CommandError('Stopped; nothing was kept.', EXIT.fault);
  await output.end();
  const lines = [...assumptions(input.log), ...shortcomings(input.log)];
  if (args.out !== undefined && args.out !== '-')
    lines.unshift(`${frames.toLocaleString('en')} frames of ${input.name} written to ${args.out}.`);
  else if (frames === 0) lines.push(`No frame of ${input.name} was meant.`);
  for (const line of lines) process.stderr.write(`${line}\n`);
  return frames > 0 ? EXIT.ok : EXIT.fault;
}
