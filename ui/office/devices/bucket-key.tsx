/**
 * Shows the key pair of a logger (an access key and its secret), with which the logger uploads files to the S3 service of the gateway. A
 * person can replace the key pair here.
 */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { Choice, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

type BucketKey = Output<'devices_bucket_key_get'>;

const OVERLAPS = [
  ['24', '24 hours'],
  ['72', '3 days'],
  ['168', '1 week'],
  ['720', '30 days'],
] as const;

const used = (at: string | null, now: number) =>
  at === null ? 'never used' : `last used ${duration(now - Date.parse(at))} ago`;

/** Returns the progress of a key pair replacement as text; null when no replacement is in progress. */
function rollState({ current, previous, in_use, delivery }: BucketKey, now: number) {
  if (current === null || previous === null) return null;
  const { ends_at } = previous;
  const arrived = in_use === current.access_key_id;
  if (ends_at === null)
    return arrived || in_use === null
      ? null
      : {
          tone: 'problem',
          text: 'The logger cannot upload: the old key pair has expired, and the logger does not use the new one. Copy the configuration with the new key pair to the SD card of the logger.',
        };
  const left = duration(Date.parse(ends_at) - now);
  if (arrived) return { tone: 'arrived', text: `The logger uses the new key pair. The old pair expires in ${left}.` };
  const text =
    delivery === 'over_the_air'
      ? `The new key pair is in the configuration of the logger, which checks every ten minutes. The old pair expires in ${left}. Replace the pair again to extend this time.`
      : `Save the configuration of the logger here, or copy the new key pair to the logger. The old pair expires in ${left}.`;
  return { tone: 'waiting', text };
}

function Roll({
  session,
  id,
  delivery,
  onRolled,
}: {
  session: Session;
  id: string;
  delivery: BucketKey['delivery'];
  onRolled(): void;
}) {
  const [hours, setHours] = useState<string>(OVERLAPS[0][0]);
  const { busy, problem, send } = useSend();
  return (
    <details>
      <summary>Replace the key pair</summary>
      <p class="aside">
        {delivery === 'over_the_air'
          ? 'The logger gets the new pair with its configuration. The old pair works until the logger reports that it uses the new one.'
          : 'The gateway has no configuration for this logger, so it cannot send the new pair. Save the configuration first, or copy the new pair to the logger.'}
      </p>
      <div class="form">
        <Choice
          label="Keep the old pair valid for"
          value={hours}
          options={OVERLAPS}
          onValue={setHours}
          disabled={busy}
        />
        <p class="aside">Select a time longer than the logger may be without a connection.</p>
        <button
          type="button"
          disabled={busy}
          onClick={() =>
            send(async () => {
              const input = { id, overlap_hours: Number(hours) };
              await session.client.call('devices_bucket_key_roll', input, { idempotency_key: newIdempotencyKey() });
              onRolled();
            })
          }
        >
          {busy ? 'Replacing' : 'Replace'}
        </button>
        <Problem text={problem} />
      </div>
    </details>
  );
}

/** The box with the upload key pair on the page of a device. */
export function BucketKeyBox({ session, id, now }: { session: Session; id: string; now: number }) {
  const { data, problem, reload } = usePolled(() => session.client.call('devices_bucket_key_get', { id }), 10_000, [
    id,
  ]);
  if (data === null) return <Problem text={problem} />;
  const { current, previous } = data;
  const state = rollState(data, now);
  return (
    <section class="panel-box">
      <h2>Bucket key</h2>
      {current === null && (
        <p>This logger has no key pair. Replace the key pair to create one and add it to the configuration.</p>
      )}
      <ul class="file-state">
        {current !== null && (
          <li>
            <code>{current.access_key_id}</code>, {used(current.last_used_at, now)}
          </li>
        )}
        {previous !== null && (
          <li>
            Old pair <code>{previous.access_key_id}</code>, {used(previous.last_used_at, now)}
            {previous.ended_at !== null && `, expired ${duration(now - Date.parse(previous.ended_at))} ago`}
          </li>
        )}
      </ul>
      {state !== null && (
        <p class={state.tone} role={state.tone === 'problem' ? 'alert' : 'status'}>
          {state.text}
        </p>
      )}
      <Problem text={problem} />
      <Roll session={session} id={id} delivery={data.delivery} onRolled={reload} />
    </section>
  );
}
