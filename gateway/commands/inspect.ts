/** `headframe inspect`: prints a report on a log. */

import { inspectionOf } from '#commands/inspection/inspect-report.ts';
import { inspectionText } from '#commands/inspection/inspect-text.ts';
import { createLogSurvey } from '#domain/logs/log-survey.ts';
import { EXIT } from '#process/supervisor.ts';
import { assumptions, type LogArgs, openLogInput, shortcomings } from './log-input.ts';
import { createProgress } from './progress.ts';

/** The arguments of `headframe inspect`, as text. */
export interface InspectArgs extends LogArgs {
  readonly file: string;
  readonly json?: boolean | undefined;
}

/** Reads a log and prints the report; resolves to the exit code, which is `EXIT.fault` when the log has no frame. */
export async function runInspect(args: InspectArgs): Promise<number> {
  await using input = await openLogInput(args.file, args);
  const survey = createLogSurvey();
  const progress = createProgress(input.name);
  for await (const batch of input.batches()) {
    progress.tell(batch);
    survey.take(batch);
  }
  progress.end();
  const report = inspectionOf(input.name, input.log, survey.result());
  const person = process.stdout.isTTY === true;
  process.stdout.on('error', () => {});
  process.stdout.write(
    args.json === true
      ? `${JSON.stringify(report)}\n`
      : inspectionText(report, {
          person,
          columns: process.stdout.columns ?? 100,
          problems: shortcomings(input.log),
          assumed: assumptions(input.log),
        }),
  );
  return report.frames > 0 ? EXIT.ok : EXIT.fault;
}
