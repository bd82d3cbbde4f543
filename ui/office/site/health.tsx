/** The health page: problems of the gateway, and for each source of data how much the gateway refused or could not decode. */
import type { ComponentChildren } from 'preact';
import type { Health } from '#contract/site/node.ts';
import { duration, moment } from '#ui/format.ts';
import { decimals, language, said, t, type Word } from '#ui/languages/texts.ts';
import { useList } from '#ui/office/base/lists.ts';
import { AsIs, Empty, Facts, Problem, Told } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

function bytes(n: number | null): string {
  if (n === null) return t('unknown');
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? decimals(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}

const COUNTERS = [
  ['messages', 'Messages'],
  ['frames', 'Frames'],
  ['unparsable', 'Unreadable'],
  ['refused', 'Refused'],
  ['duplicates', 'Duplicates'],
  ['late', 'Late'],
  ['unknown_pgns', 'Unknown PGNs'],
  ['transport_aborts', 'Incomplete messages'],
] as const satisfies readonly (readonly [string, Word])[];

const GAPS = {
  raw: '{n} raw file|{n} raw files',
  history: '{n} sample|{n} samples',
  messages: '{n} refused message|{n} refused messages',
} as const;

/** Largest number of gaps in the stored data that the API returns. */
const MOST_GAPS = 100;

/** Above the table the page names only errors that are not older than this number of milliseconds. */
const RECENT_MS = 86_400_000;

/** Returns the sources of data with a recent error, the source with the newest error first. */
function sourcesWithErrors({ sources, now }: Health): Health['sources'] {
  const from = Date.parse(now) - RECENT_MS;
  return sources
    .filter(({ last_error_at: at }) => at !== null && Date.parse(at) >= from)
    .sort((a, b) => (b.last_error_at ?? '').localeCompare(a.last_error_at ?? ''));
}

/** Returns the record id of each device of the site by its `device_id`. */
function useDeviceIds(session: Session): ReadonlyMap<string, string> {
  const devices = useList(session, 'devices_list');
  return new Map((devices ?? []).map(({ id, device_id }) => [device_id, id]));
}

function SourceName({ source, ids }: { source: string; ids: ReadonlyMap<string, string> }) {
  const id = ids.get(source);
  return id === undefined ? <span>{source}</span> : <a href={`#devices/${id}`}>{source}</a>;
}

/** The last error of a source, and how long ago it was. */
function LastError({ of: { last_error, last_error_at: at }, now }: { of: Health['sources'][number]; now: number }) {
  if (last_error === null) return null;
  return (
    <>
      <AsIs>{last_error}</AsIs>
      {at !== null && `, ${t('{age} ago', { age: duration(now - Date.parse(at)) })}`}
    </>
  );
}

/** Largest number of sources that the page names above the table. */
const NAMED = 5;

/** Shows the state of the gateway in one sentence, and the sources with recent errors. */
function Verdict({ data, ids }: { data: Health; ids: ReadonlyMap<string, string> }) {
  const now = Date.parse(data.now);
  const found = sourcesWithErrors(data);
  if (data.status !== 'ok')
    return (
      <p class="problem" role="status">
        {t('The gateway has a problem. See below what to do.')}
      </p>
    );
  if (found.length === 0)
    return (
      <p class="arrived" role="status">
        {t('Everything works.')}
      </p>
    );
  return (
    <section class="waiting">
      <p role="status">
        {t(
          'The gateway works. {n} source sent data that the gateway refused or could not read:|The gateway works. {n} sources sent data that the gateway refused or could not read:',
          { n: found.length },
        )}
      </p>
      <ul class="file-state">
        {found.slice(0, NAMED).map((one) => (
          <li key={one.source}>
            <b>
              <SourceName source={one.source} ids={ids} />
            </b>
            : <LastError of={one} now={now} />
          </li>
        ))}
      </ul>
      {found.length > NAMED && <p>{t('The table below shows all sources.')}</p>}
    </section>
  );
}

/** Returns a text for each kind of data that is missing (raw files, samples, refused messages). The text says how many are missing. */
function gapWords(gaps: Health['gaps']): string[] {
  return (Object.keys(GAPS) as (keyof typeof GAPS)[]).flatMap((what) => {
    const those = gaps.filter((gap) => gap.what === what);
    if (those.length === 0) return [];
    const text = t(GAPS[what], { n: those.reduce((sum, { count }) => sum + count, 0) });
    return [gaps.length < MOST_GAPS ? text : t('at least {text}', { text })];
  });
}

const STORED = {
  samples: 'Samples',
  minutes: 'Statistics of minutes',
  raw: 'Raw messages',
} as const satisfies Readonly<Record<string, Word>>;

/** The limits of one kind of stored data in words. */
function limitText({
  days,
  bytes: size,
  limit_bytes,
  reaches_back_days,
  note,
}: Health['history']['limits'][number]): ComponentChildren {
  if (note !== null) return <Told text={note} />;
  const sizes = { size: bytes(size), limit: bytes(limit_bytes), days };
  return reaches_back_days === null
    ? t('{size} of {limit}; kept {days} days', sizes)
    : t('{size} of {limit}, {back} days back; kept {days} days', { ...sizes, back: Math.floor(reaches_back_days) });
}

/** Returns number, age and size of the daily backups in words. */
function backupText({ count, newest_at, base_bytes, pack_bytes }: Health['backups'], now: number): string {
  if (count === 0) return t('none yet');
  const sizes = { count, size: bytes(base_bytes + pack_bytes), history: bytes(pack_bytes) };
  return newest_at === null
    ? t('{count}; {size}, of which {history} history', sizes)
    : t('{count}, the newest {age} old; {size}, of which {history} history', {
        ...sizes,
        age: duration(now - Date.parse(newest_at)),
      });
}

/** A number of samples, with marks between thousands. */
const samplesText = (n: number): string =>
  t('{n} sample|{n} samples', { n }).replace(String(n), n.toLocaleString(language().tag));

/** Shows the machines for which the gateway deleted samples early, with the time and the number of samples. */
function DeletedEarly({ session, data }: { session: Session; data: Health }) {
  const machines = useList(session, 'equipment_list');
  const units = new Map((machines ?? []).map(({ id, unit_number }) => [id, unit_number]));
  const early = data.history.deleted.filter(({ project_id, early_samples }) => {
    return early_samples > 0 && project_id === session.project.id;
  });
  if (early.length === 0) return null;
  const now = Date.parse(data.now);
  return (
    <section class="waiting">
      <p>
        {t(
          'The samples reached their share of the disk. The gateway deleted samples before their age of {days} days:',
          { days: data.history.days },
        )}
      </p>
      <ul class="file-state">
        {early.map(({ equipment_id, early_through, early_samples }) => (
          <li key={equipment_id}>
            <b>
              <a href={`#machines/${equipment_id}`}>{units.get(equipment_id) ?? equipment_id}</a>
            </b>
            : {samplesText(early_samples)}
            {early_through !== null &&
              `, ${t('up to {time} ({age} ago)', {
                time: moment(Date.parse(early_through), now, session.project.timezone),
                age: duration(now - Date.parse(early_through)),
              })}`}
          </li>
        ))}
      </ul>
      <p>
        {said('To keep samples longer, use a larger disk, or raise {percent} or {gigabytes}.', {
          percent: <code>HEADFRAME_HISTORY_PERCENT</code>,
          gigabytes: <code>HEADFRAME_DATABASE_GIGABYTES</code>,
        })}
      </p>
    </section>
  );
}

export function HealthPage({ session }: { session: Session }) {
  const { data, problem } = usePolled(() => session.client.call('health_get', {}), 3_000, [session]);
  const ids = useDeviceIds(session);
  if (data === null) {
    return (
      <>
        <h1>{t('Health')}</h1>
        <Problem text={problem} />
      </>
    );
  }
  const now = Date.parse(data.now);
  const { journal, disk, history } = data;
  const facts: readonly (readonly [Word, ComponentChildren])[] = [
    ['Version', data.version],
    ['Gateway', data.gateway_id],
    ['Running for', duration(now - Date.parse(data.started_at))],
    ['Journal', t('{size} in {n} file|{size} in {n} files', { size: bytes(journal.bytes), n: journal.segments })],
    ['Waiting to be processed', t('{n} message|{n} messages', { n: journal.unfolded_messages })],
    [
      'Last write to disk',
      journal.last_sync_ms === null
        ? t('none yet')
        : t('took {ms} ms', { ms: decimals(journal.last_sync_ms.toFixed(1)) }),
    ],
    ['Disk free', t('{part} of {whole}', { part: bytes(disk.free_bytes), whole: bytes(disk.total_bytes) })],
    ['Reserved disk space', bytes(disk.reserve_bytes)],
    [
      'Database',
      t('{size}, at most {limit}', { size: bytes(history.database_bytes), limit: bytes(history.limit_bytes) }),
    ],
    ...history.limits.map((limit) => [STORED[limit.what], limitText(limit)] as const),
    ['Backups', backupText(data.backups, now)],
  ];
  return (
    <>
      <h1>{t('Health')}</h1>
      <Problem text={problem} />
      <Verdict data={data} ids={ids} />
      {data.problems.map((one) => (
        <section key={one.code} class="problem">
          <p>
            <strong>
              <Told text={one.message} words={one.words} />
            </strong>
            {one.since !== null && ` ${t('For {age}.', { age: duration(now - Date.parse(one.since)) })}`}
          </p>
          {one.given_up !== null && (
            <p>
              <Told text={one.given_up} />
            </p>
          )}
          {one.remedy !== null && <p>{said('What to do: {remedy}', { remedy: <Told text={one.remedy} /> })}</p>}
        </section>
      ))}
      {data.gaps.length > 0 && (
        <p>
          {t(
            'The gateway is losing data now: {gaps}. When this ends, the gateway adds it to the log of each machine and device.',
            { gaps: gapWords(data.gaps).join('; ') },
          )}
        </p>
      )}
      <DeletedEarly session={session} data={data} />
      <Facts of={facts.map(([word, value]) => [t(word), value] as const)} />
      <h2>{t('Sources')}</h2>
      {data.sources.length === 0 ? (
        <Empty title={t('No sources yet')}>{t('This table shows each device that sends data.')}</Empty>
      ) : (
        <div class="table stacks">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Source')}</th>
                {COUNTERS.map(([key, name]) => (
                  <th key={key} scope="col" class="figure">
                    {t(name)}
                  </th>
                ))}
                <th scope="col">{t('Last error')}</th>
              </tr>
            </thead>
            <tbody>
              {data.sources.map((one) => (
                <tr key={one.source}>
                  <th scope="row">
                    <SourceName source={one.source} ids={ids} />
                  </th>
                  {COUNTERS.map(([key, name]) => (
                    <td key={key} class="figure" data-label={t(name)}>
                      {one[key]}
                    </td>
                  ))}
                  <td data-label={one.last_error === null ? undefined : t('Last error')}>
                    <LastError of={one} now={now} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
