/**
 * Opens the passes of late writes. A pass says who wrote; the gateway made it while that person was signed in. The browser that sends it
 * must be that person's, or the shared tablet on which the person was signed in.
 *
 * Invariants:
 * - A pass is younger than a receipt of a late write: the gateway made it before the write, and accepts it for 45 days; it keeps the receipt
 *   for 60 days after the write. So a repeated write always finds its receipt. No clock of a browser is part of this.
 * - The role and projects are those that the person has now. A write of a session that began with a PIN, or that is sent by one, stays in the
 *   project of the tablet.
 */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { type Sayable, say, type Told } from '#contract/base/told.ts';
import type { Caller, Sealer } from '#contract/context.ts';
import { CLOCKS_FIT_MS, LATE_WRITES } from '#contract/late-writes.ts';
import type { OperationName } from '#contract/operations.ts';
import type { KeyData } from '#contract/site/node.ts';
import { mayUseTablet, type TabletData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import { PASS_RECORD, type PassContent } from '#contract/work/writing-pass.ts';
import type { Store } from '#store/open-store.ts';
import type { Written } from './run-operation.ts';

const KEPT_MS = LIMITS.writing_pass.value * 86_400_000;
const NAMES: ReadonlySet<string> = new Set(LATE_WRITES);

/** What a request says about a late write. */
export interface Late {
  readonly pass: string;
  /** Time since the person wrote, in milliseconds, as the browser measured it; null if its clocks do not agree. */
  readonly ago_ms: number | null;
}

/** A late write: who wrote, and when. */
interface Opened {
  readonly author: Caller;
  readonly written: Written;
  /** The pass has ended: the gateway only answers a repeat of a write that it has. */
  readonly refusal?: OperationError | undefined;
}

const refused = (message: Sayable, reason: string, name?: string): OperationError =>
  new OperationError('writing_pass_refused', message, {
    details: [{ reason, ...(name !== undefined && { name }) }],
  });

/**
 * Returns when the person wrote, if the pass was made `age_ms` ago. One clock, which never goes back, counts that time. So the result is right
 * by the present clock of the gateway, also if somebody has set that clock since.
 */
function writtenAt(now: number, age_ms: number, ago_ms: number | null): Written {
  const earliest_ms = now - age_ms;
  // A browser that measured more time than there was has a wrong clock.
  if (ago_ms === null || ago_ms > age_ms + CLOCKS_FIT_MS) return { at_ms: null, earliest_ms };
  return { at_ms: now - Math.min(ago_ms, age_ms), earliest_ms };
}

const within = (own: readonly string[] | null, limit: readonly string[] | null): readonly string[] | null =>
  own === null || limit === null ? (own ?? limit) : own.filter((id) => limit.includes(id));

/** Creates the function that opens passes. `accessTime` is the clock by which sessions and passes end. It throws `writing_pass_refused`. */
export function createLateWrites(options: {
  store: Store;
  sealer: Sealer;
  clock: () => number;
  accessTime: () => number;
}) {
  const { store, sealer, clock, accessTime } = options;

  function read(pass: string): PassContent {
    const text = sealer.tryOpen(pass, PASS_RECORD);
    if (text === undefined)
      throw refused('This gateway did not make the pass of this write, or it has a new key since then.', 'unknown');
    return JSON.parse(text) as PassContent;
  }

  /** The person with the rights of now, and why the pass counts no more; throws if the person may not write any more. */
  async function authorOf(content: PassContent, sender: Caller): Promise<Omit<Opened, 'written'>> {
    const { kind, id, tablet } = content;
    const from = { door: sender.door, address: sender.address, base_url: sender.base_url };
    const plain = { device: null, device_project: null } as const;
    if (kind === 'workspace') {
      const key = await store.node.get<KeyData>('local', id);
      if (key?.object !== 'key' || sender.id !== id) throw refused('Another key wrote this.', 'person');
      return { author: sender };
    }
    const user = await store.node.get<UserData>('local', id);
    const { name, role, project_ids, disabled_at, ends_at } = user?.data ?? ({ disabled_at: '' } as Partial<UserData>);
    if (name === undefined || role === undefined || project_ids === undefined || disabled_at !== null)
      throw refused(
        name === undefined
          ? 'The person who wrote this may not write here any more. Ask an admin.'
          : say('{name} may not write here any more. Ask an admin.', { name }),
        'ended',
      );
    if (ends_at != null && Date.parse(ends_at) <= accessTime())
      throw refused(say('The access of {name} has ended. Ask an admin.', { name }), 'ended');
    const isOwn = sender.kind === 'user' && sender.id === id;
    const on = sender.kind === 'tablet' ? sender.id : (sender.tablet ?? null);
    if (!isOwn && (tablet === null || on !== tablet))
      throw refused(say('{name} wrote this. It is sent when {name} signs in here.', { name }), 'person', name);
    const stored = tablet === null ? undefined : await store.node.get<TabletData>('local', tablet);
    if (!isOwn && (stored === undefined || !mayUseTablet(stored.data, { id, role, project_ids })))
      throw refused(say('{name} may not use this tablet any more. Ask an admin.', { name }), 'ended');
    const place = sender.tablet ?? tablet;
    const author: Caller = {
      ...{ kind, id, name, role, ...plain, ...from },
      // A PIN gives access to the project of its tablet only ([K42]).
      project_ids: within(
        within(project_ids, sender.project_ids),
        stored === undefined ? null : [stored.data.project_id],
      ),
      ...(place !== null && { tablet: place }),
      ...(isOwn && sender.session && { session: sender.session }),
    };
    return { author, refusal: endOf(content, name, user?.data, stored?.data) };
  }

  return async (name: OperationName, sender: Caller, { pass, ago_ms }: Late): Promise<Opened> => {
    if (!NAMES.has(name))
      throw new OperationError('parameter_invalid', 'This operation cannot be sent with a pass.', {
        param: 'Headframe-Pass',
      });
    const content = read(pass);
    const age_ms = accessTime() - content.issued_ms;
    if (age_ms > KEPT_MS)
      throw refused(
        say(
          'This was written more than {writing_pass} days ago. The gateway can no longer tell whether it has it already.',
          { writing_pass: LIMITS.writing_pass.value },
        ),
        'too_old',
      );
    return { ...(await authorOf(content, sender)), written: writtenAt(clock(), age_ms, ago_ms) };
  };
}

/** Returns why a pass counts no more although its person may write; undefined if it counts ([H105]). */
function endOf(
  { generation, tablet, tablet_key }: PassContent,
  name: string,
  user: UserData | undefined,
  stored: TabletData | undefined,
): OperationError | undefined {
  const ended = (why: Told, reason: string) =>
    refused(
      [
        why,
        say('The gateway does not have this write. If it is still right, sign in, open "Outbox" and write it again.'),
      ],
      reason,
      name,
    );
  if (generation !== (user?.pass_generation ?? 0))
    return ended(
      say('After this was written, the PIN or passphrase of {name} was changed, or a session was ended.', { name }),
      'pass_ended',
    );
  if (tablet !== null && (stored === undefined || stored.revoked_at !== null || stored.key !== tablet_key))
    return ended(say('After this was written, the tablet was removed or enrolled again.'), 'tablet_changed');
  return undefined;
}
