/** The alerts that cleared in the last days. People mark them as read and take them off the list, for everybody at the site. */
import { useEffect, useState } from 'preact/hooks';
import type { Severity } from '#contract/work/alert.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { MoreRows, usePaged } from '#ui/office/base/paged.tsx';
import { Choice, Empty, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { AlertCard } from './alert-card.tsx';
import { type AlertMarkers, useAlertMarkers } from './alert-markers.ts';
import type { Alert } from './alert-text.ts';
import type { Ticket } from './ticket-text.ts';

const PERIODS = [
  ['1', 'Last day'],
  ['3', 'Last 3 days'],
  ['7', 'Last week'],
  ['30', 'Last 30 days'],
] as const satisfies readonly (readonly [string, Word])[];
/** The value of the machine filter that selects alerts without a machine. */
export const NO_MACHINE = 'none';

/**
 * Returns the time `days` ago, rounded to the hour. An exact time would be different on each render, and the list would be read again from
 * its first page each time.
 */
const since = (now: number, days: string) =>
  new Date(Math.floor(now / 3_600_000) * 3_600_000 - Number(days) * 86_400_000).toISOString();

export interface Shared {
  readonly session: Session;
  readonly machine: (id: string) => string;
  readonly device: (id: string) => string;
  readonly tickets: ReadonlyMap<string, Ticket>;
  readonly now: number;
}

/** What people can do with the whole list. */
function Marking(props: {
  markers: AlertMarkers;
  unread: readonly Alert[];
  removed: number;
  withRemoved: boolean;
  onRemoved(shown: boolean): void;
}) {
  const { markers, unread, removed, withRemoved, onRemoved } = props;
  const canRead = markers.mayMark && unread.length > 0;
  return (
    <>
      {(canRead || removed > 0) && (
        <div class="actions">
          {canRead && (
            <button type="button" disabled={markers.busy} onClick={() => markers.read(unread)}>
              {t('Mark {n} alert as read|Mark {n} alerts as read', { n: unread.length })}
            </button>
          )}
          {removed > 0 && (
            <button type="button" class="quiet" aria-pressed={withRemoved} onClick={() => onRemoved(!withRemoved)}>
              {t('Show {n} removed', { n: removed })}
            </button>
          )}
        </div>
      )}
      {canRead && (
        <p class="aside">{t('Read and removed holds for everybody at this site. The alerts themselves stay.')}</p>
      )}
      <Problem text={markers.problem} />
    </>
  );
}

interface ClearedProps extends Shared {
  readonly machine_id: string;
  readonly severity: Severity | '';
  /** The number of active alerts. When it changes, this list is read again. */
  readonly raised: number;
  wanted(alert: Alert): boolean;
}

export function Cleared(props: ClearedProps) {
  const { session, machine_id, severity } = props;
  const markers = useAlertMarkers(session);
  const [withRemoved, setWithRemoved] = useState(false);
  const [days, setDays] = useState<string>('3');
  const from = since(props.now, days);
  const paged = usePaged(
    session,
    'alerts_list',
    {
      state: 'cleared',
      limit: 50,
      updated_after: from,
      ...(machine_id !== '' && machine_id !== NO_MACHINE && { machine_id }),
      ...(severity !== '' && { severity }),
    },
    10_000,
  );
  useEffect(() => paged.reload(), [props.raised]);
  // The list is read with the filter `updated_after`, which also returns alerts that cleared earlier and were acknowledged later. So filter
  // the alerts here by the time at which they cleared.
  const over = (paged.items ?? []).filter((one) => props.wanted(one) && (one.cleared_at ?? '') > from);
  const removed = over.filter(markers.isRemoved);
  const shown = withRemoved ? over : over.filter((one) => !markers.isRemoved(one));
  const unread = shown.filter((one) => !markers.isRead(one));
  return (
    <section class="raised" aria-label={t('Cleared')}>
      <div class="head">
        <h2>{t('Cleared')}</h2>
        <Choice
          label={t('Period')}
          value={days}
          options={PERIODS.map(([value, text]) => [value, t(text)] as const)}
          onValue={setDays}
        />
      </div>
      <Marking
        markers={markers}
        unread={unread}
        removed={removed.length}
        withRemoved={withRemoved}
        onRemoved={setWithRemoved}
      />
      {paged.items === null ? (
        <LinkState of={paged} session={session} />
      ) : (
        over.length === 0 &&
        paged.more === null && <Empty title={t('No cleared alerts')}>{t('No alert cleared in this period.')}</Empty>
      )}
      {shown.length > 0 && (
        <ul class="rows">
          {shown.map((alert) => (
            <AlertCard
              key={alert.id}
              {...props}
              alert={alert}
              isNew={!markers.isRead(alert)}
              isRemoved={markers.isRemoved(alert)}
              {...(markers.mayMark && !markers.isRemoved(alert) && { onRemove: () => markers.remove(alert) })}
              ticket={props.tickets.get(alert.id)}
              onAcknowledged={paged.reload}
            />
          ))}
        </ul>
      )}
      <MoreRows of={paged} text={t('Show older alerts')} now={props.now} />
    </section>
  );
}
