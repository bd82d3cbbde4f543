/** Reads the transcripts of a chain of runs: a run and the runs that it continues, after a death of the process or after an approval. */
import type { Stored, View } from '#contract/base/view.ts';
import type { MessageData, RunData } from '#contract/work/task.ts';

/** Largest number of runs that a chain has. */
const MOST_RUNS = 50;
const PAGE = 500;

/** Returns the ids of the runs that this run continues, the oldest first. */
export async function chainOf(view: Pick<View, 'get'>, run: RunData): Promise<string[]> {
  const ids: string[] = [];
  let current: RunData | undefined = run;
  while (current !== undefined && ids.length < MOST_RUNS) {
    const before: string | null = current.retry.retry_of ?? current.continues ?? null;
    if (before === null) break;
    ids.unshift(before);
    current = (await view.get<RunData>('records', before))?.data;
  }
  return ids;
}

/** Returns all entries of the transcript of a run, the oldest first. */
export async function messagesOf(view: Pick<View, 'find'>, run_id: string): Promise<Stored<MessageData>[]> {
  const all: Stored<MessageData>[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await view.find<MessageData>('events', {
      object: 'message',
      where: { 'data.run_id': run_id },
      order: 'asc',
      limit: PAGE,
      ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
    });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
