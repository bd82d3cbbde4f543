/**
 * Shows the key pair of a logger (an access key and its secret), with which the logger uploads files to the S3 service of the gateway. A
 * person can replace the key pair here.
 */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Choice, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

type BucketKey = Output<'devices_bucket_key_get'>;

/** The hours for which the old pair can stay valid: one day, three days, a week, and 30 days. */
const OVERLAPS = [24, 72, 168, 720] as const;

const used = (at: string | null, now: number) =>
  at === null ? t('never used') : t('last used {age} ago', { age: duration(now - Date.parse(at)) });

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
          text: t(
            'The logger cannot upload: the old key pair has expired, and the logger does not use the new one. Copy the configuration with the new key pair to the SD card of the logger.',
          ),
        };
  const left = duration(Date.parse(ends_at) - now);
  if (arrived)
    return { tone: 'arrived', text: t('The logger uses the new key pair. The old pair expires in {left}.', { left }) };
  const text =
    delivery === 'over_the_air'
      ? t(
          'The new key pair is in the configuration of the logger, which checks every ten minutes. The old pair expires in {left}. Replace the pair again to extend this time.',
          { left },
        )
      : t(
          'Save the configuration of the logger here, or copy the new key pair to the logger. The old pair expires in {left}.',
          { left },
        );
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
  const [hours, setHours] = useState(String(OVERLAPS[0]));
  const { busy, problem, send } = useSend();
  return (
    <details>
      <summary>{t('Replace the key pair')}</summary>
      <p class="aside">
        {delivery === 'over_the_air'
          ? t(
              'The logger gets the new pair with its configuration. The old pair works until the logger reports that it uses the new one.',
            )
          : t(
              'The gateway has no configuration for this logger, so it cannot send the new pair. Save the configuration first, or copy the new pair to the logger.',
            )}
      </p>
      <div class="form">
        <Choice
          label={t('Keep the old pair valid for')}
          value={hours}
          options={OVERLAPS.map((one) => [String(one), t('{n} day|{n} days', { n: one / 24 })] as const)}
          onValue={setHours}
          disabled={busy}
        />
        <p class="aside">{t('Select a time longer than the logger may be without a connection.')}</p>
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
          {t(busy ? 'Replacing' : 'Replace')}
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
      <h2>{t('Bucket key')}</h2>
      {current === null && (
        <p>{t('This logger has no key pair. Replace the key pair to create one and add it to the configuration.')}</p>
      )}
      <ul class="file-state">
        {current !== null && (
          <li>
            <code>{current.access_key_id}</code>, {used(current.last_used_at, now)}
          </li>
        )}
        {previous !== null && (
          <li>
            {said('Old pair {key}', { key: <code>{previous.access_key_id}</code> })}, {used(previous.last_used_at, now)}
            {previous.ended_at !== null &&
              `, ${t('expired {age} ago', { age: duration(now - Date.parse(previous.ended_at)) })}`}
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
