/** The key pair that a logger uploads with: which one it uses, when the old one ends, and the roll. */
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
  ['168', 'a week'],
  ['720', '30 days'],
] as const;

const used = (at: string | null, now: number) =>
  at === null ? 'never used' : `last used ${duration(now - Date.parse(at))} ago`;

/** How a roll stands, in one sentence; null when none is under way. */
function rollState({ current, previous, in_use, delivery }: BucketKey, now: number) {
  if (current === null || previous === null) return null;
  const { ends_at } = previous;
  const arrived = in_use === current.access_key_id;
  if (ends_at === null)
    return arrived || in_use === null
      ? null
      : {
          tone: 'problem',
          text: 'The old pair has ended and the logger has not used the new one: it cannot upload. Bring it its configuration on the SD card.',
        };
  const left = duration(Date.parse(ends_at) - now);
  if (arrived) return { tone: 'arrived', text: `The logger uses the new pair. The old one ends in ${left}.` };
  const text =
    delivery === 'over_the_air'
      ? `The new pair waits in the logger's configuration; it looks every ten minutes. The old one ends in ${left}: roll again for more time.`
      : `Save the logger's configuration here, or bring it its new pair by hand: the old one ends in ${left}.`;
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
      <summary>Roll the key pair</summary>
      <p class="aside">
        {delivery === 'over_the_air'
          ? 'The logger gets the new pair with its configuration. The pair that it uses now works on meanwhile, and ends when the logger has told that it runs with the new one.'
          : 'This gateway has no configuration that could bring the logger its new pair. Save its configuration here first, or bring it the new pair by hand.'}
      </p>
      <div class="form">
        <Choice label="The old pair works on for" value={hours} options={OVERLAPS} onValue={setHours} disabled={busy} />
        <p class="aside">Longer than the logger may be out of reach of the gateway.</p>
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
          {busy ? 'Rolling' : 'Roll'}
        </button>
        <Problem text={problem} />
      </div>
    </details>
  );
}

/** The box on the page of a device; nothing for one that has no pair. */
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
        <p>
          It has no key pair: none was made yet, or all were revoked. Rolling makes one and lays it into its
          configuration.
        </p>
      )}
      <ul class="file-state">
        {current !== null && (
          <li>
            <code>{current.access_key_id}</code>, {used(current.last_used_at, now)}
          </li>
        )}
        {previous !== null && (
          <li>
            Before it <code>{previous.access_key_id}</code>, {used(previous.last_used_at, now)}
            {previous.ended_at !== null && `, ended ${duration(now - Date.parse(previous.ended_at))} ago`}
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
