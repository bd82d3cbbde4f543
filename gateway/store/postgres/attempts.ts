/**
 * Runs the calls of the parts of a transaction until they find all rows in their workspaces. A call can say which rows it will need
 * (`Job.ahead`); these are read first, and then most calls run only once.
 */
import type { ClientBase } from 'pg';
import { type Load, loadMisses, type ProjectNumbers } from './loader.ts';
import type { BegunPart, ChangedPart, Part } from './parts.ts';
import type { Workspace } from './workspace.ts';

const MOST_ATTEMPTS = 40;
/** The second look reads what the rows of the first one name, such as the sum of the leaf of a document. */
const LOOKS = 2;

export interface AttemptOptions {
  /** Makes the workspace that the code of transactions uses next. */
  readonly enter: (workspace: Workspace) => void;
  readonly numbers: ProjectNumbers;
  /** Called for each attempt. */
  readonly counted: () => void;
}

const loadOf = ({ part: { workspace, projects }, own }: BegunPart, misses: Load['misses']): Load => ({
  ...{ workspace, misses, own },
  projects: [...projects],
});

/**
 * Returns what each part changed in its first attempt that found all rows. Notes in `missing` the parts that need more projects; the
 * transaction must then be run again.
 */
export async function runAttempts(
  client: ClientBase,
  begun: readonly BegunPart[],
  options: AttemptOptions,
  missing: Map<Part, readonly string[]>,
): Promise<readonly ChangedPart[]> {
  const { enter, numbers, counted } = options;
  const changed: ChangedPart[] = [];
  await readAhead(client, begun, options);
  let waiting = begun;
  for (let attempts = 1; ; attempts++) {
    const loads: Load[] = [];
    const again: BegunPart[] = [];
    for (const one of waiting) {
      const { part, renewals } = one;
      enter(part.workspace);
      counted();
      const attempt = part.workspace.attempt([...renewals, ...part.jobs]);
      if ('changes' in attempt) changed.push({ ...one, changes: attempt.changes });
      else if (attempt.projects.length > 0) missing.set(part, attempt.projects);
      else {
        again.push(one);
        loads.push(loadOf(one, attempt.misses));
      }
    }
    waiting = again;
    if (missing.size > 0 || loads.length === 0) return changed;
    if (attempts >= MOST_ATTEMPTS)
      throw new Error(`a transaction reads rows without an end: ${loads[0]?.misses[0]?.sql}`);
    await loadMisses(client, loads, numbers);
  }
}

/** Reads the rows that the calls say they need. */
async function readAhead(client: ClientBase, begun: readonly BegunPart[], options: AttemptOptions): Promise<void> {
  const { enter, numbers } = options;
  for (let looks = 0; looks < LOOKS; looks++) {
    const loads: Load[] = [];
    for (const one of begun) {
      const reads = one.part.jobs.flatMap(({ ahead }) => ahead ?? []);
      if (reads.length === 0) continue;
      enter(one.part.workspace);
      const misses = one.part.workspace.look(reads);
      if (misses.length > 0) loads.push(loadOf(one, misses));
    }
    if (loads.length === 0) return;
    await loadMisses(client, loads, numbers);
  }
}
