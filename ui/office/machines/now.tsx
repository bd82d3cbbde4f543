/** The page Now: what needs people at this moment, the most urgent first, and the state of all other machines. */
import { machineFreshnessAt } from '#contract/base/freshness.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { REASON_WORDS } from '#contract/work/attention-words.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { OfferedActions } from '#ui/office/agent/offered-actions.ts';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { Empty, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import { useMachineRows } from '#ui/office/base/rows.ts';
import type { Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import { AlertMark, LiveMark, Service, Tick } from '#ui/tiles/marks.tsx';
import { inTrouble, TroubleList } from './machine-trouble.tsx';

const { grades } = REASON_WORDS;
/** The summary is not a part of the first page, so that trouble shows sooner. */
const Days = lazyPage(() => import('./day.tsx').then((one) => one.Days), 'quiet');

/** What a machine does that is not in trouble, as the strip of a TV shows it. */
export function quietState({ status, live_status, last_live_data_at, expected_interval_s }: MachineRow, now: number) {
  const last = last_live_data_at === null ? null : Date.parse(last_live_data_at);
  const judged = machineFreshnessAt(last, expected_interval_s, now);
  const current = judged === 'fresh' || judged === 'ageing';
  const fine = current || status === 'maintenance';
  if (status === 'maintenance') return { state: 'service', fine } as const;
  return { state: judged === 'none' || judged === 'never' ? 'unknown' : live_status, fine } as const;
}

const WORDS = {
  running: 'running',
  idle: 'idle',
  off: 'off',
  service: 'in service',
  unknown: 'no data',
} as const satisfies Record<string, Word>;

export const StateMark = ({ state }: { state: keyof typeof WORDS }) =>
  state === 'service' ? <Service /> : <LiveMark live={state} />;

/** The same counts as in the header of a status board. */
function NowCounts(props: { act: number; look: number; fine: number; silent: number }) {
  const rows = [
    { key: 'act', mark: <AlertMark mark="critical" />, text: `${t(grades.act)}: ${props.act}`, count: props.act },
    { key: 'look', mark: <AlertMark mark="warning" />, text: `${t(grades.look)}: ${props.look}`, count: props.look },
    { key: 'fine', mark: <Tick />, text: `${t('Fine')}: ${props.fine}`, count: 1 },
    { key: 'silent', mark: <AlertMark mark="nodata" />, text: `${t('No data')}: ${props.silent}`, count: props.silent },
  ];
  return (
    <ul class="now-counts">
      {rows
        .filter(({ count }) => count > 0)
        .map(({ key, mark, text }) => (
          <li key={key} class={key}>
            {mark}
            {text}
          </li>
        ))}
    </ul>
  );
}

export function Now({ session }: { session: Session }) {
  const list = useMachineRows(session);
  const now = useNow(session.now);
  const machines = (list.rows ?? []).filter(({ status }) => status !== 'decommissioned');
  const troubled = inTrouble(machines);
  const act = troubled.filter(({ trouble }) => trouble.reason.grade === 'act').length;
  const quiet = machines
    .filter(({ trouble }) => trouble === undefined)
    .map((machine) => ({ machine, ...quietState(machine, now) }));
  const fine = quiet.filter((one) => one.fine).length;
  return (
    <>
      <div class="head">
        <h1>{t('Now')}</h1>
        {machines.length > 0 && (
          <NowCounts act={act} look={troubled.length - act} fine={fine} silent={quiet.length - fine} />
        )}
      </div>
      <Problem text={list.problem} />
      {list.rows === null && list.problem === null && <p class="aside">{t('Reading the machines')}</p>}
      {list.rows !== null && machines.length === 0 && (
        <Empty title={t('No machines yet')}>
          {said('{link}, then connect its logger.', { link: <a href="#machines">{t('Add the first machine')}</a> })}
        </Empty>
      )}
      <TroubleList
        session={session}
        machines={machines}
        now={now}
        onChoose={(id) => {
          location.hash = `story/${id}`;
        }}
        onDone={list.reload}
      />
      {machines.length > 0 && troubled.length === 0 && (
        <section class="now-calm" aria-label={t('Nothing in trouble')}>
          <Tick />
          <p>
            <b>{fine === machines.length ? t('All fine') : t('Nothing urgent')}</b>
            <span class="aside">
              {fine === machines.length
                ? t('{n} machine sends data.|All {n} machines send data.', { n: fine })
                : t('{silent} of {all} machines send no data.', {
                    silent: machines.length - fine,
                    all: machines.length,
                  })}
            </span>
          </p>
        </section>
      )}
      <OfferedActions session={session} place={session.me.tablet === null ? 'home' : 'tablet'} subject={null} />
      {quiet.length > 0 && (
        <section class="now-rest" aria-label={t('Other machines')}>
          <h2>{t('The rest: {fine} of {all} fine', { fine, all: machines.length })}</h2>
          <ul>
            {quiet.map(({ machine, state, fine: isFine }) => (
              <li key={machine.id} class={state}>
                <a href={`#story/${machine.id}`}>
                  <b>{machine.unit_number}</b>
                  <span>
                    <StateMark state={state} />
                    {state === 'unknown' && isFine ? t('state unknown') : t(WORDS[state])}
                  </span>
                </a>
              </li>
            ))}
          </ul>
          <TruncationNote
            shown={list.rows?.length ?? 0}
            {...(list.total !== undefined && { total: list.total })}
            more={list.more}
            what={t('machines')}
          />
        </section>
      )}
      {list.rows !== null && <Days session={session} />}
    </>
  );
}
