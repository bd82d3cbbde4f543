/** The sentence about the last change of head office to a record. */
import { useEffect } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration, moment } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Live, Lost } from '#ui/tiles/marks.tsx';

export interface DeliveryProps {
  readonly of: Output<'equipment_get'>['delivery'];
  readonly now: number;
  readonly timezone: string;
  /** Reads the record again. */
  reload(): void;
}

/** An arrived change is shown for this time. */
const SHOWN_MS = 86_400_000;
/** An arrival changes no record, so the page reads the record again while the change waits. */
const READ_MS = 5_000;

export function DeliveryNote({
  of,
  now,
  timezone,
  reload,
}: DeliveryProps & { readonly of: NonNullable<DeliveryProps['of']> }) {
  const { state, changed_at, arrived_at } = of;
  const waits = state === 'waits';
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(reload, READ_MS);
    return () => clearInterval(timer);
  }, [waits, reload]);
  if (arrived_at !== null && now - Date.parse(arrived_at) > SHOWN_MS) return null;
  const at = (time: string) => moment(Date.parse(time), now, timezone);
  return (
    <p class="delivery live" role="status">
      {waits ? <Lost /> : <Live />}
      <span>
        {said('Changed at head office {time}. {state}', {
          time: at(changed_at),
          state: (
            <b>
              {arrived_at === null
                ? t('Not confirmed by the site yet, waiting for {age}.', {
                    age: duration(now - Date.parse(changed_at)),
                  })
                : t('Arrived at the site {time}.', { time: at(arrived_at) })}
            </b>
          ),
        })}
      </span>
    </p>
  );
}
