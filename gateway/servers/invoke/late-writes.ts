/**
 * Opens the passes of late writes. A pass says who wrote; the gateway made it while that person was signed in. The browser that sends it
 * must be that person's, or the shared tablet on which the person was signed in.
 *
 * Invariants:
 * - A pass is younger than a receipt of a late write: the gateway made it before the write, and accepts it for 45 days; it keeps the receipt
 *   for 60 days after the write. So a repeated write always finds its receipt. No clock of a browser is part of this.
 * - The role and projects are those that the person has now.
 */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Caller, Sealer } from '#contract/context.ts';
import { LATE_WRITES } from '#contract/late-writes.ts';
import type { OperationName } from '#contract/operations.ts';
import type { KeyData } from '#contract/site/node.ts';
import { mayUseTablet, type TabletData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import { PASS_RECORD, type PassContent } from '#contract/work/writing-pass.ts';
import type { Store } from '#store/open-store.ts';

const KEPT_MS = LIMITS.writing_pass.value * 86_400_000;
const NAMES: ReadonlySet<string> = new Set(LATE_WRITES);

/** What a request says about a late write. */
export interface Late {
  readonly pass: string;
  /** Time since the person wrote, in milliseconds, as the browser measured it. */
  readonly ago_ms: number;
}

/** A late write that the gateway accepts: who wrote, and the earliest time at which that can have been. */
interface Opened {
  readonly author: Caller;
  readonly issued_ms: number;
}

const refused = (message: string, reason: string, name?: string): OperationError =>
  new OperationError('writing_pass_refused', message, {
    details: [{ reason, ...(name !== undefined && { name }) }],
  });

/** Creates the function that opens passes. `now` is the clock by which sessions end. It throws `writing_pass_refused`. */
export function createLateWrites({ store, sealer, now }: { store: Store; sealer: Sealer; now: () => number }) {
  function read(pass: string): PassContent {
    const text = sealer.tryOpen(pass, PASS_RECORD);
    if (text === undefined)
      throw refused('This gateway did not make the pass of this write, or it has a new key since then.', 'unknown');
    const content = JSON.parse(text) as PassContent;
    if (now() - content.issued_ms > KEPT_MS)
      throw refused(
        `This was written more than ${LIMITS.writing_pass.value} days ago. The gateway can no longer tell whether it has it already.`,
        'too_old',
      );
    return content;
  }

  /** The person with the rights of now; throws if the person may not write any more. */
  async function authorOf({ kind, id, tablet }: PassContent, sender: Caller): Promise<Caller> {
    const from = { door: sender.door, address: sender.address, base_url: sender.base_url };
    const plain = { device: null, device_project: null } as const;
    if (kind === 'workspace') {
      const key = await store.node.get<KeyData>('local', id);
      if (key?.object !== 'key' || sender.id !== id) throw refused('Another key wrote this.', 'person');
      return sender;
    }
    const user = await store.node.get<UserData>('local', id);
    const { name, role, project_ids, disabled_at, ends_at } = user?.data ?? ({ disabled_at: '' } as Partial<UserData>);
    if (name === undefined || role === undefined || project_ids === undefined || disabled_at !== null)
      throw refused(`${name ?? 'The person who wrote this'} may not write here any more. Ask an admin.`, 'ended');
    if (ends_at != null && Date.parse(ends_at) <= now())
      throw refused(`The access of ${name} has ended. Ask an admin.`, 'ended');
    const own = { kind, id, name, role, project_ids, ...plain, ...from };
    if (sender.kind === 'user' && sender.id === id)
      return { ...own, ...(sender.session && { session: sender.session }) };
    const on = sender.kind === 'tablet' ? sender.id : (sender.tablet ?? null);
    if (tablet === null || on !== tablet)
      throw refused(`${name} wrote this. It is sent when ${name} signs in here.`, 'person', name);
    const stored = await store.node.get<TabletData>('local', tablet);
    if (stored?.object !== 'tablet' || !mayUseTablet(stored.data, { id, role, project_ids }))
      throw refused(`${name} may not use this tablet any more. Ask an admin.`, 'ended');
    return { ...own, project_ids: [stored.data.project_id], tablet };
  }

  return async (name: OperationName, sender: Caller, { pass }: Late): Promise<Opened> => {
    if (!NAMES.has(name))
      throw new OperationError('parameter_invalid', 'This operation cannot be sent with a pass.', {
        param: 'Headframe-Pass',
      });
    const content = read(pass);
    return { author: await authorOf(content, sender), issued_ms: content.issued_ms };
  };
}
