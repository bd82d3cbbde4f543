/** The time since when a machine has its reported status. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { Form, Problem } from '#ui/office/base/parts.tsx';
import { maySet, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { instantOf, wallTime } from '#ui/office/site/site-time.ts';

/** Says since when the machine has its status. A person who reported a breakdown late gives the time at which it began. */
export function StatusSince(props: {
  readonly session: Session;
  readonly machine: Output<'equipment_list'>['data'][number];
  onDone(): void;
}) {
  const { session, machine, onDone } = props;
  const { timezone } = session.project;
  const [typed, setTyped] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const { id, status, status_since } = machine;
  if (status_since == null || status === 'unknown') return null;
  const since_ms = Date.parse(status_since);
  const at_ms = typed === null ? null : instantOf(typed, timezone);
  const save = () =>
    send(async () => {
      if (at_ms === null) return;
      const input = { id, status, status_since: new Date(at_ms).toISOString() };
      await session.client.call('equipment_update', input, { if_match: machine.revision });
      setTyped(null);
      onDone();
    });
  return (
    <>
      <div class="actions">
        <span class="aside">{t('Since {time}', { time: moment(since_ms, session.now(), timezone) })}</span>
        {typed === null && maySet(session, 'equipment_update', 'status_since', status_since) && (
          <button type="button" class="quiet" onClick={() => setTyped(wallTime(since_ms, timezone))}>
            {t('It began earlier')}
          </button>
        )}
      </div>
      {typed !== null && (
        <section class="nested" aria-label={t('It began earlier')}>
          <Form action={t('Save the time')} busy={busy} onSend={save}>
            <div class="field">
              <label for={`since ${id}`}>{t('Began at (site time)')}</label>
              <input
                id={`since ${id}`}
                type="datetime-local"
                required
                max={wallTime(since_ms, timezone)}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
            </div>
            <Problem text={problem} />
          </Form>
          <button type="button" onClick={() => setTyped(null)}>
            {t('Cancel')}
          </button>
        </section>
      )}
    </>
  );
}
