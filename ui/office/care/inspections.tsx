/** The pages of inspections: choose a machine, read completed inspections, and edit the checklists. */

import { useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll, useIdText, useList } from '#ui/office/base/lists.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { MoreRows, usePaged } from '#ui/office/base/paged.tsx';
import { Empty, NoRecord, Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { ChecklistForm } from './checklist-form.tsx';
import { Inspect, InspectionResult } from './inspect.tsx';

function Checklists({ session }: { session: Session }) {
  const lists = usePolled(
    (signal) => readAll(session, 'inspection_checklists_list', {}, signal),
    60_000,
    [session],
    ['inspection_checklist'],
  );
  const [open, setOpen] = useState<string | null>(null);
  const { busy, problem, write } = useWrite();
  const edited = lists.data?.items.find(({ id }) => id === open) ?? null;
  return (
    <section>
      <h2>{t('Checklists')}</h2>
      <Problem text={lists.problem ?? problem} />
      {(open === 'new' || edited !== null) && (
        <ChecklistForm
          key={open}
          session={session}
          list={edited}
          onDone={() => {
            setOpen(null);
            lists.reload();
          }}
        />
      )}
      <ul class="rows">
        {(lists.data?.items ?? []).map((list) => (
          <li key={list.id}>
            <div class="row">
              <div>
                <b>{list.name}</b>
                <small>
                  {`${list.kind === null ? t('All machines') : kindText(list.kind)}, ${t('{n} item|{n} items', { n: list.items.length })}`}
                </small>
              </div>
              {may(session, 'inspection_checklists_update') && (
                <button type="button" onClick={() => setOpen(list.id)}>
                  {t('Edit')}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {may(session, 'inspection_checklists_create') && (
        <>
          <div class="actions">
            <button type="button" onClick={() => setOpen('new')}>
              {t('New checklist')}
            </button>
            <button
              type="button"
              disabled={busy}
              onClick={() =>
                write(async (once) => {
                  await session.client.call('inspection_checklists_add_defaults', {}, once);
                  lists.reload();
                })
              }
            >
              {t('Add default checklists')}
            </button>
          </div>
          <p class="aside">
            {t(
              'Defaults exist for haul trucks, excavators, wheel loaders, dozers, graders and drills. A kind that has a checklist gets none. Compare them with the rules of your site and the manuals of your machines.',
            )}
          </p>
        </>
      )}
    </section>
  );
}

function Overview({ session }: { session: Session }) {
  const machines = useList(session, 'equipment_list');
  const unit = useIdText(machines, (one) => one.unit_number);
  const past = usePaged(session, 'inspections_list', { limit: 20 }, 30_000);
  const now = useNow(session.now);
  const active = (machines ?? [])
    .filter(({ status }) => status !== 'decommissioned')
    .toSorted((a, b) => a.unit_number.localeCompare(b.unit_number, 'en', { numeric: true }));
  return (
    <>
      <div class="head">
        <h1>{t('Inspections')}</h1>
      </div>
      {may(session, 'inspections_create') && (
        <section>
          <h2>{t('Inspect a machine')}</h2>
          <div class="inspect-machines">
            {active.map(({ id, unit_number }) => (
              <a key={id} class="button large" href={`#inspections/new/${id}`}>
                {unit_number}
              </a>
            ))}
          </div>
        </section>
      )}
      <section>
        <h2>{t('Completed')}</h2>
        <Problem text={past.problem} />
        {past.items?.length === 0 && (
          <Empty title={t('No inspections yet')}>
            {t('Operators and mechanics inspect a machine before they use it.')}
          </Empty>
        )}
        <ul class="rows">
          {(past.items ?? []).map((one) => (
            <li key={one.id}>
              <div class="row">
                <div>
                  <b>
                    <a href={`#inspections/${one.id}`}>{unit(one.equipment_id)}</a>{' '}
                    {one.do_not_operate
                      ? t('Do not operate')
                      : one.result === 'passed'
                        ? t('No defects')
                        : t('Defects')}
                  </b>
                  <small>
                    {one.checklist}, {one.done_by},{' '}
                    {moment(Date.parse(one.completed_at), now, session.project.timezone)}
                  </small>
                </div>
              </div>
            </li>
          ))}
        </ul>
        <MoreRows of={past} text={t('Show older inspections')} now={now} />
      </section>
      <Checklists session={session} />
    </>
  );
}

function Result({ session, id }: { session: Session; id: string }) {
  const { data, problem } = usePolled(
    async (signal) => {
      const inspection = await session.client.call('inspections_get', { id }, { signal });
      const machine = await session.client.call('equipment_get', { id: inspection.equipment_id }, { signal });
      return { inspection, unit: machine.unit_number };
    },
    60_000,
    [id],
  );
  if (data === null)
    return <NoRecord title={t('Inspections')} href="#inspections" all={t('All inspections')} problem={problem} />;
  const when = moment(Date.parse(data.inspection.completed_at), session.now(), session.project.timezone);
  return <InspectionResult session={session} {...data} when={when} />;
}

/** The pages. `at` is the URL hash after `#inspections/`: empty, `new/eq_...` for a new inspection, or `ins_...` for a completed one. */
export function InspectionsPage({ session, at }: { session: Session; at: string }) {
  const [first = '', second = ''] = at.split('/');
  if (first === 'new' && may(session, 'inspections_create'))
    return <Inspect key={second} session={session} equipment_id={second} />;
  if (first === '' || first === 'new') return <Overview session={session} />;
  return <Result key={first} session={session} id={first} />;
}
