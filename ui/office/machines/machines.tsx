/** The page of machines: a table of all machines, and the panel of the selected one. */
import { useState } from 'preact/hooks';
import type { MachineRow } from '#contract/site/project-live.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { Empty, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import { useMachineRows } from '#ui/office/base/rows.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import { STATUS_TEXT } from '#ui/office/base/status-words.ts';
import { useNow } from '#ui/office/base/use.ts';
import { useStops } from '#ui/office/devices/device-chain.tsx';
import { LiveMark } from '#ui/tiles/marks.tsx';
import { AddMachine } from './add-machine.tsx';
import { Age, CodesCell, ValueCell } from './machine-cells.tsx';
import { MachineDetail } from './machine-detail.tsx';
import { byTrouble, inTrouble, Needs, TroubleList } from './machine-trouble.tsx';
import { MachineWork, type MachineWorkMap, useMachineWork } from './machine-work.tsx';
import { storyPlace } from './story-parts.ts';

const LIVE_TEXT = {
  running: 'Running',
  idle: 'Idle',
  off: 'Off',
  unknown: 'Unknown',
} as const satisfies Record<string, Word>;
/** The fields that are columns of the machine table. The panel of a machine shows all its values. */
const KEY_FIELDS = [
  { field: 'engine_hours', title: 'Hours' },
  { field: 'fuel_remaining_pct', title: 'Fuel' },
  { field: 'fuel_rate_lph', title: 'Rate' },
] as const satisfies readonly { field: string; title: Word }[];

function MachineTable(props: {
  machines: readonly MachineRow[];
  chosen: string | null;
  work: MachineWorkMap | null;
  /** The step at which the data of a device stops, by device id. */
  stops: ReturnType<typeof useStops>;
  now: number;
  onChoose(id: string | null): void;
}) {
  const { machines, chosen, work, stops, now } = props;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('Unit')}</th>
          <th scope="col">{t('Reported')}</th>
          <th scope="col">{t('Live')}</th>
          <th scope="col">{t('Data')}</th>
          {KEY_FIELDS.map(({ field, title }) => (
            <th key={field} scope="col" class="figure">
              {t(title)}
            </th>
          ))}
          <th scope="col" class="figure">
            {t('Codes')}
          </th>
        </tr>
      </thead>
      <tbody>
        {machines.map((one) => (
          <tr key={one.id} aria-selected={chosen === one.id}>
            <th scope="row">
              <button type="button" class="link" onClick={() => props.onChoose(chosen === one.id ? null : one.id)}>
                {one.unit_number}
              </button>
              <MachineWork id={one.id} work={work} />
              <Needs machine={one} />
            </th>
            <td data-label={t('Reported')}>
              <span class={`said ${one.status}`}>{t(STATUS_TEXT[one.status])}</span>
            </td>
            <td data-label={t('Live')}>
              <span class="live">
                <LiveMark live={one.live_status} />
                {one.last_live_data_at === null && one.device_ids.length > 0
                  ? (stops.get(one.device_ids[0] ?? '') ?? t('No live data'))
                  : t(LIVE_TEXT[one.live_status])}
              </span>
            </td>
            <td data-label={t('Data')}>
              {one.recorded ? (
                <span class="age stale">{t('recorded')}</span>
              ) : (
                <Age at={one.last_live_data_at} now={now} every={one.expected_interval_s} />
              )}
            </td>
            {KEY_FIELDS.map(({ field, title }) => (
              <ValueCell key={field} machine={one} field={field} title={t(title)} now={now} />
            ))}
            <CodesCell title={t('Codes')} counts={one.dtc_counts} now={now} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The page of machines. `chosen` is the id of the machine that the URL names; null if it names none. */
export function Machines({ session, ...props }: { session: Session; chosen: string | null }) {
  const list = useMachineRows(session);
  const work = useMachineWork(session);
  const [chosen, setChosen] = useState(props.chosen);
  const [added, setAdded] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const now = useNow(session.now);
  const machines = byTrouble(list.rows ?? []);
  const stops = useStops(
    session,
    machines.filter((one) => one.last_live_data_at === null).flatMap(({ device_ids }) => device_ids.slice(0, 1)),
  );
  return (
    <>
      <div class="head">
        <h1>{t('Machines')}</h1>
        {may(session, 'equipment_create') && (
          <button type="button" onClick={() => setAdding(!adding)} aria-expanded={adding}>
            {adding ? t('Close') : t('Add a machine')}
          </button>
        )}
      </div>
      <Problem text={list.problem} />
      {adding && (
        <div class="panel-box">
          <AddMachine
            session={session}
            onDone={(id) => {
              setAdding(false);
              setChosen(id);
              setAdded(id);
              list.reload();
            }}
          />
        </div>
      )}
      {list.rows !== null && machines.length === 0 && !adding && added === null && (
        <Empty title={t('No machines yet')}>
          {may(session, 'equipment_create')
            ? t('Add the first machine, then connect its logger.')
            : t('A supervisor or admin adds the machines.')}
          {may(session, 'projects_setup_apply') && (
            <>
              {' '}
              {said('Or {link}, and the gateway plans its machines, places, people and screens.', {
                link: <a href="#setup">{t('describe the site in words')}</a>,
              })}
            </>
          )}
        </Empty>
      )}
      <TroubleList session={session} machines={machines} now={now} onChoose={setChosen} onDone={list.reload} />
      {machines.length > 0 && (
        <div class="split">
          <div class="table stacks close">
            <MachineTable
              machines={machines}
              chosen={chosen}
              work={work}
              stops={stops}
              now={now}
              onChoose={setChosen}
            />
            <TruncationNote
              shown={machines.length}
              {...(list.total !== undefined && { total: list.total })}
              more={list.more}
              what={t('machines')}
            />
          </div>
          {chosen !== null && (
            <MachineDetail
              key={chosen}
              id={chosen}
              session={session}
              work={work}
              trouble={inTrouble(machines).find(({ id }) => id === chosen)}
              isNew={chosen === added}
              story={null}
              onChange={list.reload}
              onClose={() => setChosen(null)}
            />
          )}
        </div>
      )}
    </>
  );
}

/** The page of one machine, with its story. `at` is the machine, the range and the question, as in the address. */
export function MachinePage({ session, at }: { session: Session; at: string }) {
  const list = useMachineRows(session);
  const work = useMachineWork(session);
  const { id, ...place } = storyPlace(at);
  return (
    <MachineDetail
      id={id}
      session={session}
      work={work}
      trouble={inTrouble(list.rows ?? []).find((one) => one.id === id)}
      isNew={false}
      story={place}
      onChange={list.reload}
      onClose={() => {
        location.hash = 'machines';
      }}
    />
  );
}
