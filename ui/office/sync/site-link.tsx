/** The page of a site about head office: connect with a code, what waits, and the proof that nothing is missing. */
import { useState } from 'preact/hooks';
import type { SyncLane, SyncReceipt, SyncStatus } from '#contract/site/sync.ts';
import type { Takeover } from '#contract/site/sync-takeover.ts';
import { duration, moment } from '#ui/format.ts';
import { language, said, t, type Word } from '#ui/languages/texts.ts';
import { useEnds } from '#ui/office/base/ends.ts';
import { Facts, Problem, Told } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { Live, Lost, Unknown } from '#ui/tiles/marks.tsx';
import { BudgetOfLink } from './budget.tsx';
import { CourierBox } from './courier.tsx';
import { FilesOfLink } from './files.tsx';
import { ConnectFields, GivingBack } from './replace-box.tsx';
import { LANE_WORDS, STATE_WORDS, sizeText, VERDICT_WORDS } from './sync-words.ts';

/** Connects the site with the address and the code of head office. */
function ConnectForm({ session, onDone }: { session: Session; onDone(): void }) {
  return (
    <section class="panel-box" aria-label={t('Connect to head office')}>
      <h2>{t('Connect to head office')}</h2>
      <p>
        {t(
          'Head office shows the machines, boards and repairs of several sites. The site works without it, and goes on while there is no connection. An admin of head office gives you the address and a code.',
        )}
      </p>
      <ConnectFields client={session.client} action={t('Connect')} onDone={onDone} />
      <p class="aside">
        {t(
          'The site calls head office, never the other way round, so it needs no open port. Keys, users and passphrases never leave the site.',
        )}
      </p>
    </section>
  );
}

function Lanes({ lanes, now }: { lanes: readonly SyncLane[]; now: number }) {
  return (
    <div class="table stacks">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('What waits, the most urgent first')}</th>
            <th scope="col" class="figure">
              {t('Changes')}
            </th>
            <th scope="col" class="figure">
              {t('About')}
            </th>
            <th scope="col">{t('The oldest')}</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ lane, waiting, bytes, oldest_at }) => (
            <tr key={lane}>
              <th scope="row">{t(LANE_WORDS[lane])}</th>
              <td class="figure" data-label={t('Changes')}>
                {waiting.toLocaleString(language().tag)}
              </td>
              <td class="figure" data-label={t('About')}>
                {sizeText(bytes)}
              </td>
              <td data-label={t('The oldest')}>
                {oldest_at === null ? '' : t('{age} ago', { age: duration(now - Date.parse(oldest_at)) })}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The lanes of all projects together. */
function allLanes({ projects }: SyncStatus): SyncLane[] {
  const sums = new Map<SyncLane['lane'], SyncLane>();
  for (const { lanes } of projects)
    for (const one of lanes) {
      const before = sums.get(one.lane);
      const oldest = [before?.oldest_at ?? null, one.oldest_at].filter((at) => at !== null).sort()[0] ?? null;
      sums.set(one.lane, {
        lane: one.lane,
        waiting: (before?.waiting ?? 0) + one.waiting,
        bytes: (before?.bytes ?? 0) + one.bytes,
        oldest_at: oldest,
      });
    }
  return (Object.keys(LANE_WORDS) as SyncLane['lane'][]).flatMap((lane) => sums.get(lane) ?? []);
}

const TO_SEE: ReadonlySet<string> = new Set(['fenced', 'revoked', 'refused']);

function LinkStatus({ status, session }: { status: SyncStatus; session: Session }) {
  const now = useNow(session.now);
  const { timezone } = session.project;
  const time = (at: string | null, none: string) => (at === null ? none : moment(Date.parse(at), now, timezone));
  const { state } = status;
  if (state === null || state === 'off') return null;
  const lanes = allLanes(status);
  const repairing = status.projects.some((project) => project.repairing);
  const not_taken = status.projects.reduce((sum, project) => sum + project.not_taken, 0);
  const next = status.next_try_at;
  const facts: (readonly [string, string])[] = [
    [t('Head office'), status.cloud_url ?? ''],
    [t('Last contact'), time(status.last_contact_at, t('none yet'))],
    [t('Head office last knew all'), time(status.in_step_at, t('not yet'))],
    ...(status.box === null ? [] : [[t('Mark of this box'), status.box.mark] as const]),
    ...(next === null || Date.parse(next) <= now
      ? []
      : [[t('Next try'), t('in {time}', { time: duration(Date.parse(next) - now) })] as const]),
  ];
  return (
    <section class="panel-box" aria-label={t('State of the connection')}>
      <p class={TO_SEE.has(state) ? 'problem link-words' : 'link-words'} role="status">
        {TO_SEE.has(state) ? <Unknown /> : state === 'offline' ? <Lost /> : <Live />}
        <span>
          <b>{t(STATE_WORDS[state])}.</b> <Told text={status.sentence} words={status.words} />
        </span>
      </p>
      {state === 'offline' && status.error !== null && (
        <p class="aside">
          {said('The last try: {message}', {
            message: <Told text={status.error.message} words={status.error.words} />,
          })}
        </p>
      )}
      <Facts of={facts} />
      {repairing && (
        <p class="waiting" role="status">
          {t(
            'Both ends compare all documents now, because one of them was put back from a backup or something differed. Nothing is lost by this, and work goes on.',
          )}
        </p>
      )}
      {lanes.length > 0 && <Lanes lanes={lanes} now={now} />}
      {not_taken > 0 && (
        <p class="problem">
          {t(
            'This site could not take {n} change of head office. It is not lost. If one of the two ends has an older version, update it.|This site could not take {n} changes of head office. None of them is lost. If one of the two ends has an older version, update it.',
            { n: not_taken },
          )}
        </p>
      )}
    </section>
  );
}

/** What a box that took the place of another one got back, and what it did not. */
function TakenOver({ of, session }: { of: Takeover; session: Session }) {
  const now = useNow(session.now);
  const time = (at: string) => moment(Date.parse(at), now, session.project.timezone);
  return (
    <section class="panel-box" aria-label={t('This box replaced another one')}>
      <h2>{t('This box replaced another one')}</h2>
      {of.given_back === null ? (
        <p>
          {t('Since {time} it has the place of the box before. Everything that head office has of this site is here.', {
            time: time(of.at),
          })}
        </p>
      ) : (
        <GivingBack of={of.given_back} />
      )}
      <h3>{t('What did not come back')}</h3>
      <ul class="names">
        {of.not_returned.map(({ what, text, words, names, total }) => (
          <li key={what}>
            {what === 'unsent' && of.heard_at !== null ? (
              t(
                'What the box before had not sent when head office heard it last, {time}, and what it recorded after that. Only its own disk has it.',
                { time: time(of.heard_at) },
              )
            ) : (
              <Told text={text} words={words} />
            )}
            {names.length > 0 && (
              <details>
                <summary>{t('Which ones')}</summary>
                {names.join(', ')}
                {total > names.length && `, ${t('and {count} more', { count: total - names.length })}`}
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a comparison found missing, by name. */
function Missing({ receipt }: { receipt: SyncReceipt }) {
  const { missing, missing_total, not_taken, not_taken_total, lost_in_lives, gaps } = receipt;
  const { files_lost, files_lost_total } = receipt;
  const lists: readonly (readonly [Word, readonly string[], number])[] = [
    ['Documents that head office lacks', missing, missing_total],
    ['Commits that head office could not take', not_taken, not_taken_total],
    ['Times in which something vanished here without a record', lost_in_lives, lost_in_lives.length],
    ['Gap records', gaps, gaps.length],
    ['Files whose content neither end has', files_lost, files_lost_total],
  ];
  const found = lists.filter(([, names]) => names.length > 0);
  if (found.length === 0) return null;
  return (
    <details>
      <summary>{t('Names')}</summary>
      {found.map(([title, names, total]) => (
        <div key={title}>
          <b>{t(title)}</b>
          <ul class="mono names">
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
          {total > names.length && <p class="aside">{t('and {count} more', { count: total - names.length })}</p>}
        </div>
      ))}
    </details>
  );
}

/** The comparisons of everything that both ends have. */
function Receipts({ session }: { session: Session }) {
  const list = usePolled(() => session.client.call('sync_receipts_list', { limit: 10 }), 30_000, [session]);
  const { busy, problem, send } = useSend();
  const now = useNow(session.now);
  const receipts = list.data?.data ?? [];
  const names = new Map(session.projects.map(({ id, name }) => [id, name]));
  return (
    <section class="panel-box" aria-label={t('Proof')}>
      <div class="head">
        <h2>{t('Is everything there?')}</h2>
        <button
          type="button"
          disabled={busy}
          onClick={() =>
            send(async () => {
              await session.client.call('sync_verify', {});
              list.reload();
            })
          }
        >
          {busy ? t('Comparing') : t('Compare now')}
        </button>
      </div>
      <p class="aside">
        {t(
          'This compares everything that both ends have, not only what was sent. A site that is in step does it once a day.',
        )}
      </p>
      <Problem text={problem ?? list.problem} />
      {list.data !== null && receipts.length === 0 && <p>{t('There was no comparison yet.')}</p>}
      <ul class="receipts">
        {receipts.map((receipt) => (
          <li key={receipt.id} class={receipt.verdict === 'incomplete' ? 'problem' : ''}>
            <b>{t(VERDICT_WORDS[receipt.verdict])}</b>{' '}
            {moment(Date.parse(receipt.checked_at), now, session.project.timezone)}
            {session.projects.length > 1 && `, ${names.get(receipt.project_id) ?? receipt.project_id}`}
            <p>
              <Told text={receipt.sentence} words={receipt.words} />
            </p>
            <Missing receipt={receipt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Disconnect({ session, onDone }: { session: Session; onDone(): void }) {
  const [asking, setAsking] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box" aria-label={t('Disconnect')}>
      <h2>{t('Disconnect')}</h2>
      <p>
        {t(
          'To connect this site to another head office, or with a new code, disconnect it first. The site keeps all its data, and head office keeps what it has.',
        )}
      </p>
      <Problem text={problem} />
      <button
        type="button"
        disabled={busy}
        onClick={() => {
          if (!asking) return setAsking(true);
          return send(async () => {
            await session.client.call('sync_link_remove', {});
            onDone();
          });
        }}
      >
        {asking ? t('Disconnect now') : t('Disconnect from head office')}
      </button>
    </section>
  );
}

export function SiteLink({ session }: { session: Session }) {
  const { data: status, problem, reload } = useEnds();
  const now = useNow(session.now);
  const [done, setDone] = useState('');
  const isOff = status?.state === 'off';
  const hasLink = status !== null && !isOff;
  return (
    <>
      <h1>{t('Head office')}</h1>
      <Problem text={problem} />
      <p role="status" class="arrived">
        {done}
      </p>
      {isOff && (
        <p>
          <Told text={status.sentence} words={status.words} />
        </p>
      )}
      {isOff && !may(session, 'sync_link_set') && <p class="aside">{t('An owner or admin connects this site.')}</p>}
      {isOff && may(session, 'sync_link_set') && (
        <ConnectForm
          session={session}
          onDone={() => {
            setDone(t('This site is connected. It sends its data now; how long that takes depends on the connection.'));
            reload();
          }}
        />
      )}
      {hasLink && <LinkStatus status={status} session={session} />}
      {hasLink && status.takeover !== null && <TakenOver of={status.takeover} session={session} />}
      {hasLink && status.files !== null && (
        <FilesOfLink of={status.files} now={now} timezone={session.project.timezone} />
      )}
      {hasLink && status.budget !== null && <BudgetOfLink session={session} budget={status.budget} onDone={reload} />}
      {hasLink && may(session, 'sync_courier') && <CourierBox session={session} gateways={null} />}
      {hasLink && may(session, 'sync_verify') && <Receipts session={session} />}
      {hasLink && may(session, 'sync_link_remove') && (
        <Disconnect
          session={session}
          onDone={() => {
            setDone(t('This site is disconnected. It works alone now.'));
            reload();
          }}
        />
      )}
    </>
  );
}
