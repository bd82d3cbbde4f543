/** The health page: problems of the gateway, and for each source of data how much the gateway refused or could not decode. */
import type { Health } from '#contract/site/node.ts';
import { duration, moment } from '#ui/format.ts';
import { useList } from '#ui/office/base/lists.ts';
import { Empty, Facts, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

function bytes(n: number | null): string {
  if (n === null) return 'unknown';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
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
] as const;

const GAPS = {
  raw: (n: number) => `${n} raw ${n === 1 ? 'file' : 'files'}`,
  history: (n: number) => `${n} samples`,
  messages: (n: number) => `${n} refused messages`,
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

/** Largest number of sources that the page names above the table. */
const NAMED = 5;

/** Shows the state of the gateway in one sentence, and the sources with recent errors. */
function Verdict({ data, ids }: { data: Health; ids: ReadonlyMap<string, string> }) {
  const now = Date.parse(data.now);
  const found = sourcesWithErrors(data);
  if (data.status !== 'ok')
    return (
      <p class="problem" role="status">
        The gateway has a problem. See below what to do.
      </p>
    );
  if (found.length === 0)
    return (
      <p class="arrived" role="status">
        Everything works.
      </p>
    );
  return (
    <section class="waiting trouble">
      <p role="status">
        The gateway works. {found.length === 1 ? 'One source' : `${found.length} sources`} sent data that the gateway
        refused or could not read:
      </p>
      <ul class="file-state">
        {found.slice(0, NAMED).map((one) => (
          <li key={one.source}>
            <b>
              <SourceName source={one.source} ids={ids} />
            </b>
            : {one.last_error}, {duration(now - Date.parse(one.last_error_at ?? data.now))} ago
          </li>
        ))}
      </ul>
      {found.length > NAMED && <p>The table below shows all sources.</p>}
    </section>
  );
}

/** Returns a text for each kind of data that is missing (raw files, samples, refused messages). The text says how many are missing. */
function gapWords(gaps: Health['gaps']): string[] {
  return (Object.keys(GAPS) as (keyof typeof GAPS)[]).flatMap((what) => {
    const those = gaps.filter((gap) => gap.what === what);
    const most = gaps.length < MOST_GAPS ? '' : 'at least ';
    return those.length === 0 ? [] : [most + GAPS[what](those.reduce((sum, { count }) => sum + count, 0))];
  });
}

const STORED = { samples: 'Samples', minutes: 'Statistics of minutes', raw: 'Raw messages' } as const;

/** Returns the limits of one kind of stored data in words. */
function limitText({
  days,
  bytes: size,
  limit_bytes,
  reaches_back_days,
  note,
}: Health['history']['limits'][number]): string {
  const back = reaches_back_days === null ? '' : `, ${Math.floor(reaches_back_days)} days back`;
  return note ?? `${bytes(size)} of ${bytes(limit_bytes)}${back}; kept ${days} days`;
}

/** Returns number, age and size of the daily backups in words. */
function backupText({ count, newest_at, base_bytes, pack_bytes }: Health['backups'], now: number): string {
  if (count === 0) return 'none yet';
  const age = newest_at === null ? '' : `, the newest ${duration(now - Date.parse(newest_at))} old`;
  return `${count}${age}; ${bytes(base_bytes + pack_bytes)}, of which ${bytes(pack_bytes)} history`;
}

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
    <section class="waiting trouble">
      <p>
        The samples reached their share of the disk. The gateway deleted samples before their age of {data.history.days}{' '}
        days:
      </p>
      <ul class="file-state">
        {early.map(({ equipment_id, early_through, early_samples }) => (
          <li key={equipment_id}>
            <b>
              <a href={`#machines/${equipment_id}`}>{units.get(equipment_id) ?? equipment_id}</a>
            </b>
            : {early_samples.toLocaleString('en')} samples
            {early_through !== null &&
              `, up to ${moment(Date.parse(early_through), now, session.project.timezone)} (${duration(now - Date.parse(early_through))} ago)`}
          </li>
        ))}
      </ul>
      <p>
        To keep samples longer, use a larger disk, or raise HEADFRAME_HISTORY_PERCENT or HEADFRAME_DATABASE_GIGABYTES.
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
        <h1>Health</h1>
        <Problem text={problem} />
      </>
    );
  }
  const now = Date.parse(data.now);
  const facts: [string, string][] = [
    ['Version', data.version],
    ['Gateway', data.gateway_id],
    ['Running for', duration(now - Date.parse(data.started_at))],
    [
      'Journal',
      `${bytes(data.journal.bytes)} in ${data.journal.segments} ${data.journal.segments === 1 ? 'file' : 'files'}`,
    ],
    ['Waiting to be processed', `${data.journal.unfolded_messages} messages`],
    [
      'Last write to disk',
      data.journal.last_sync_ms === null ? 'none yet' : `took ${data.journal.last_sync_ms.toFixed(1)} ms`,
    ],
    ['Disk free', `${bytes(data.disk.free_bytes)} of ${bytes(data.disk.total_bytes)}`],
    ['Reserved disk space', bytes(data.disk.reserve_bytes)],
    ['Database', `${bytes(data.history.database_bytes)}, at most ${bytes(data.history.limit_bytes)}`],
    ...data.history.limits.map((limit): [string, string] => [STORED[limit.what], limitText(limit)]),
    ['Backups', backupText(data.backups, now)],
  ];
  return (
    <>
      <h1>Health</h1>
      <Problem text={problem} />
      <Verdict data={data} ids={ids} />
      {data.problems.map((one) => (
        <section key={one.code} class="problem trouble">
          <p>
            <strong>{one.message}</strong>
            {one.since !== null && ` For ${duration(now - Date.parse(one.since))}.`}
          </p>
          {one.given_up !== null && <p>{one.given_up}</p>}
          {one.remedy !== null && <p>What to do: {one.remedy}</p>}
        </section>
      ))}
      {data.gaps.length > 0 && (
        <p>
          The gateway is losing data now: {gapWords(data.gaps).join('; ')}. When this ends, the gateway adds it to the
          log of each machine and device.
        </p>
      )}
      <DeletedEarly session={session} data={data} />
      <Facts of={facts} />
      <h2>Sources</h2>
      {data.sources.length === 0 ? (
        <Empty title="No sources yet">This table shows each device that sends data.</Empty>
      ) : (
        <div class="table stacks">
          <table>
            <thead>
              <tr>
                <th scope="col">Source</th>
                {COUNTERS.map(([key, name]) => (
                  <th key={key} scope="col" class="figure">
                    {name}
                  </th>
                ))}
                <th scope="col">Last error</th>
              </tr>
            </thead>
            <tbody>
              {data.sources.map((one) => (
                <tr key={one.source}>
                  <th scope="row">
                    <SourceName source={one.source} ids={ids} />
                  </th>
                  {COUNTERS.map(([key, name]) => (
                    <td key={key} class="figure" data-label={name}>
                      {one[key]}
                    </td>
                  ))}
                  <td data-label={one.last_error === null ? undefined : 'Last error'}>
                    {one.last_error === null
                      ? ''
                      : `${one.last_error}${one.last_error_at === null ? '' : `, ${duration(now - Date.parse(one.last_error_at))} ago`}`}
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
