/** Health: what works, what does not, and what each source sent that could not be used. */
import type { Health } from '#contract/site/node.ts';
import { duration } from '#ui/format.ts';
import { useList } from '#ui/office/base/lists.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
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
  ['unparsable', 'Unusable'],
  ['refused', 'Refused'],
  ['duplicates', 'Repeats'],
  ['late', 'Late'],
  ['unknown_pgns', 'Unknown PGNs'],
  ['transport_aborts', 'Broken transports'],
] as const;

const GAPS = {
  raw: (n: number) => `${n} raw ${n === 1 ? 'file' : 'files'}`,
  history: (n: number) => `${n} samples`,
  messages: (n: number) => `${n} messages not taken`,
} as const;

/** Health tells of so many gaps at most. */
const SHOWN = 100;

/** What a source did is news for so long. */
const NEWS_MS = 86_400_000;

/** Sources of which something was refused or could not be used within a day, the newest first. */
function troubled({ sources, now }: Health): Health['sources'] {
  const from = Date.parse(now) - NEWS_MS;
  return sources
    .filter(({ last_error_at: at }) => at !== null && Date.parse(at) >= from)
    .sort((a, b) => (b.last_error_at ?? '').localeCompare(a.last_error_at ?? ''));
}

/** Record ids by device_id, as far as the site's devices go. */
function useDeviceIds(session: Session): ReadonlyMap<string, string> {
  const devices = useList(session, 'devices_list');
  return new Map((devices ?? []).map(({ id, device_id }) => [device_id, id]));
}

function SourceName({ source, ids }: { source: string; ids: ReadonlyMap<string, string> }) {
  const id = ids.get(source);
  return id === undefined ? <span>{source}</span> : <a href={`#devices/${id}`}>{source}</a>;
}

/** So many are named above the table. */
const NAMED = 5;

/** The state of the gateway in one sentence, and what its devices sent that is no fault of the gateway. */
function Verdict({ data, ids }: { data: Health; ids: ReadonlyMap<string, string> }) {
  const now = Date.parse(data.now);
  const found = troubled(data);
  if (data.status !== 'ok')
    return (
      <p class="problem" role="status">
        Something needs attention.
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
        The gateway works. {found.length === 1 ? 'One source' : `${found.length} sources`} sent what it refused or could
        not use:
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
      {found.length > NAMED && <p>The table below has all of them.</p>}
    </section>
  );
}

/** How much of each kind, in words. */
function gapWords(gaps: Health['gaps']): string[] {
  return (Object.keys(GAPS) as (keyof typeof GAPS)[]).flatMap((what) => {
    const those = gaps.filter((gap) => gap.what === what);
    const most = gaps.length < SHOWN ? '' : 'at least ';
    return those.length === 0 ? [] : [most + GAPS[what](those.reduce((sum, { count }) => sum + count, 0))];
  });
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
    ['Not yet in the facts', `${data.journal.unfolded_messages} messages`],
    [
      'Last write to disk',
      data.journal.last_sync_ms === null ? 'none yet' : `took ${data.journal.last_sync_ms.toFixed(1)} ms`,
    ],
    ['Disk free', `${bytes(data.disk.free_bytes)} of ${bytes(data.disk.total_bytes)}`],
    ['Kept in reserve', bytes(data.disk.reserve_bytes)],
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
          Being given up now: {gapWords(data.gaps).join('; ')}. Once it is over, each machine and device has it in its
          log.
        </p>
      )}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>Sources</h2>
      {data.sources.length === 0 ? (
        <Empty title="Nothing has sent anything yet">Each device that sends appears here with what it sent.</Empty>
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
                <th scope="col">Last trouble</th>
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
                  <td data-label={one.last_error === null ? undefined : 'Last trouble'}>
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
