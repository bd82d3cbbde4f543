/** `headframe audit`: prints the audit log, as JSON lines that a program can check, or as text for a person. */
import { stripVTControlCharacters } from 'node:util';
import type { Output } from '#contract/operations.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';
import { withGateway } from './control.ts';

interface AuditArgs {
  readonly as?: string | undefined;
  readonly after?: string | undefined;
}

type Entry = Output<'audit_export'>['data'][number];

/** Returns one line about an entry: number, time, who, what, and the changed fields. */
function textOf({ chain, occurred_at, actor, type, subject, data }: Entry): string {
  const who = actor.name ?? actor.id ?? actor.type;
  return stripVTControlCharacters(
    `${chain?.number}  ${occurred_at}  ${JSON.stringify(who)} (${actor.door})  ${type} ${subject.object} ${subject.id}  ${JSON.stringify(data)}`,
  );
}

/** Runs `headframe audit`. */
export async function runAudit(config: Config, args: AuditArgs): Promise<void> {
  const form = args.as ?? 'text';
  if (form !== 'jsonl' && form !== 'text') throw new CommandError('--as must be jsonl or text.', EXIT.usage);
  const first = Number(args.after ?? 0);
  if (!Number.isSafeInteger(first) || first < 0)
    throw new CommandError('--after must be the number of an entry, or 0.', EXIT.usage);
  await withGateway(config, async (client) => {
    for (let after = first; ; ) {
      const page = await client.call('audit_export', { after, limit: 200 });
      for (const entry of page.data)
        process.stdout.write(`${form === 'jsonl' ? JSON.stringify(entry) : textOf(entry)}\n`);
      if (!page.has_more) return;
      after = page.next_after;
    }
  });
}
