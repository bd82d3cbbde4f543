/** Shutting a device out, and removing what it stored: for a device that fills the disk, or whose key is in wrong hands. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

interface Removed {
  readonly events: number;
  readonly files: number;
  readonly segments: number;
  readonly freed_bytes: number;
}
const NOTHING: Removed = { events: 0, files: 0, segments: 0, freed_bytes: 0 };

function Purge({ session, id }: { session: Session; id: string }) {
  const [history, setHistory] = useState(false);
  const [removed, setRemoved] = useState<Removed | null>(null);
  const { busy, problem, send } = useSend();
  async function purge(): Promise<void> {
    let sum = NOTHING;
    for (let done = false; !done; ) {
      const what = ['events' as const, 'files' as const, ...(history ? ['history' as const] : [])];
      const one = await session.client.call('devices_purge', { id, what }, { idempotency_key: newIdempotencyKey() });
      sum = {
        events: sum.events + one.events,
        files: sum.files + one.files,
        segments: sum.segments + one.segments,
        freed_bytes: sum.freed_bytes + one.freed_bytes,
      };
      setRemoved(sum);
      done = one.done;
    }
  }
  return (
    <details>
      <summary>Remove what it stored</summary>
      <p class="aside">
        Removes the entries that it caused in its log, and its files, for good. What people wrote stays.
      </p>
      <div class="form">
        <label class="check">
          <input
            type="checkbox"
            checked={history}
            disabled={busy}
            onChange={({ currentTarget }) => setHistory(currentTarget.checked)}
          />
          Also the history of its machine since it was linked
        </label>
        <button type="button" disabled={busy} onClick={() => send(purge)}>
          {busy ? 'Removing' : 'Remove for good'}
        </button>
        {removed !== null && (
          <p role="status">
            {busy ? 'So far' : 'Removed'}: {removed.events} entries, {removed.files} files, {removed.segments} pieces of
            history. {size(removed.freed_bytes)} went back to the disk.
          </p>
        )}
        <Problem text={problem} />
      </div>
    </details>
  );
}

/** The box on the page of a device. */
export function QuarantineBox({ session, device }: { session: Session; device: Output<'devices_get'> }) {
  const { id, quarantine, device_id } = device;
  const { data: health } = usePolled(() => session.client.call('health_get', {}), 10_000, [id]);
  const { busy, problem, send } = useSend();
  const writer = health?.writers.find((one) => one.id === id);
  const today = Object.values(writer?.today ?? {}).reduce((sum, bytes) => sum + bytes, 0);
  const set = (quarantined: boolean) =>
    send(async () => {
      await session.client.call('devices_quarantine', { id, quarantined }, { idempotency_key: newIdempotencyKey() });
    });
  return (
    <section class="panel-box">
      <h2>Storage and quarantine</h2>
      {writer !== undefined && (
        <p>
          {device_id} stored {size(today)} today and {size(writer.total_bytes)} in all.
          {writer.dropped > 0 && ` ${writer.dropped} items were not stored: its budget is used up.`}
        </p>
      )}
      {quarantine === null ? (
        <p class="aside">In quarantine its connections end and its keys are refused. Its record and data stay.</p>
      ) : (
        <p class="problem" role="status">
          In quarantine by {quarantine.by}
          {quarantine.reason !== null && `: ${quarantine.reason}`}. Its keys are refused.
        </p>
      )}
      <button type="button" disabled={busy} onClick={() => set(quarantine === null)}>
        {quarantine === null ? 'Quarantine' : 'Let it in again'}
      </button>
      <Problem text={problem} />
      <Purge session={session} id={id} />
    </section>
  );
}
