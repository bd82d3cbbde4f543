/** Lets a person quarantine a device and delete its data, for example if the device fills the disk or its key was stolen. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
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
      <summary>{t('Delete the data of this device')}</summary>
      <p class="aside">
        {t(
          'The gateway deletes the log entries that this device caused, and its files. You cannot undo this. Notes of people stay.',
        )}
      </p>
      <div class="form">
        <label class="check">
          <input
            type="checkbox"
            checked={history}
            disabled={busy}
            onChange={({ currentTarget }) => setHistory(currentTarget.checked)}
          />
          {t('Also delete the history of its machine since the device was linked')}
        </label>
        <button type="button" disabled={busy} onClick={() => send(purge)}>
          {t(busy ? 'Deleting' : 'Delete')}
        </button>
        {removed !== null && (
          <p role="status">
            {t(
              busy
                ? 'Deleted so far: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.'
                : 'Deleted: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.',
              {
                events: removed.events,
                files: removed.files,
                segments: removed.segments,
                size: size(removed.freed_bytes),
              },
            )}
          </p>
        )}
        <Problem text={problem} />
      </div>
    </details>
  );
}

/** Storage use and quarantine on the page of a device. */
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
      <h2>{t('Storage and quarantine')}</h2>
      {writer !== undefined && (
        <p>
          {t('{device} stored {today} today and {total} in total.', {
            device: device_id,
            today: size(today),
            total: size(writer.total_bytes),
          })}
          {writer.dropped > 0 &&
            ` ${t(
              'The gateway did not store {n} item: the device exceeded its budget.|The gateway did not store {n} items: the device exceeded its budget.',
              { n: writer.dropped },
            )}`}
        </p>
      )}
      {quarantine === null ? (
        <p class="aside">
          {t('Quarantine closes the connections of the device and refuses its keys. Its data stays.')}
        </p>
      ) : (
        <p class="problem" role="status">
          {quarantine.reason === null
            ? t('Quarantined by {name}. The gateway refuses its keys.', { name: quarantine.by })
            : t('Quarantined by {name}: {reason}. The gateway refuses its keys.', {
                name: quarantine.by,
                reason: quarantine.reason,
              })}
        </p>
      )}
      <button type="button" disabled={busy} onClick={() => set(quarantine === null)}>
        {t(quarantine === null ? 'Quarantine' : 'End quarantine')}
      </button>
      <Problem text={problem} />
      <Purge session={session} id={id} />
    </section>
  );
}
