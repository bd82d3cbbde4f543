/**
 * The trial of a DBC file: the gateway decodes recorded frames with the file. The page shows which of the frames the file describes, and
 * which values it gives for them.
 */
import { useState } from 'preact/hooks';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Empty, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { count, type DbcFile, inOurs, number } from './dbc-text.ts';

export type DbcTrialResult = Output<'dbc_test'>;
type Tested = DbcTrialResult['signals'][number];

const MINUTES = [
  ['10', 'the last 10 minutes'],
  ['30', 'the last 30 minutes'],
  ['60', 'the last hour'],
] as const;
const SHOWN = 30;

function share(n: number, of: number): string {
  return n === 0 ? '0' : `${number(n)} (${n * 100 < of ? 'under 1' : Math.round((100 * n) / of)} %)`;
}

function Numbers({ one, unit }: { one: Tested; unit: string }) {
  if (one.min === null || one.max === null) return <>no value</>;
  const [least, most] = one.to === null ? [null, null] : [inOurs(one.min, unit, one.to), inOurs(one.max, unit, one.to)];
  return (
    <>
      {number(one.min)} to {number(one.max)} {one.unit}
      {least !== null && (
        <small class="said-line">
          {least} to {most} converted
        </small>
      )}
    </>
  );
}

function Signals({ result, file }: { result: DbcTrialResult; file: DbcFile }) {
  const [all, setAll] = useState(false);
  const mapped = result.signals.filter(({ to }) => to !== null);
  const rows = all ? result.signals : mapped.length > 0 ? mapped : result.signals.slice(0, SHOWN);
  const unitOf = (one: Tested) =>
    file.mapping.find(({ message, signal }) => message === one.message && signal === one.signal)?.unit ?? one.unit;
  return (
    <>
      <div class="table stacks inner">
        <table>
          <thead>
            <tr>
              <th scope="col">Signal</th>
              <th scope="col" class="figure">
                Values
              </th>
              <th scope="col">Lowest to highest</th>
              <th scope="col" class="figure">
                No value
              </th>
              <th scope="col" class="figure">
                Out of range
              </th>
              <th scope="col" class="figure">
                Impossible
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={`${one.message}.${one.signal}`}>
                <th scope="row">
                  {one.signal}
                  <small>
                    {one.message}
                    {one.to !== null && `, mapped to ${signalRow(one.to as SignalName).label}`}
                  </small>
                </th>
                <td class="figure" data-label="Values">
                  {number(one.values)}
                </td>
                <td data-label="Lowest to highest">
                  <Numbers one={one} unit={unitOf(one)} />
                </td>
                <td class="figure" data-label="No value">
                  {share(one.states, one.states + one.values)}
                </td>
                <td class="figure" data-label="Out of range">
                  {one.out_of_range === 0 ? '0' : <b class="warn">{share(one.out_of_range, one.values)}</b>}
                </td>
                <td class="figure" data-label="Impossible">
                  {one.to === null ? (
                    'not mapped'
                  ) : one.implausible === 0 ? (
                    '0'
                  ) : (
                    <b class="warn">{share(one.implausible, one.values)}</b>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {result.signals.length > rows.length && (
        <div class="actions">
          <button type="button" onClick={() => setAll(true)}>
            Show all {result.signals.length} signals
          </button>
        </div>
      )}
      <p class="aside">
        No value: the machine sent "not available" or "error" (J1939). Out of range: outside the range in the file; the
        gateway still uses the value. Impossible: outside the range of the site signal; the gateway ignores the value.
      </p>
    </>
  );
}

function Result({ result, file }: { result: DbcTrialResult; file: DbcFile }) {
  const mapped = result.signals.filter(({ to }) => to !== null);
  const silent = file.mapping.filter(
    (one) =>
      !mapped.some(({ message, signal, values }) => message === one.message && signal === one.signal && values > 0),
  );
  if (result.frames === 0)
    return (
      <Empty title="No traffic">
        {result.device_id === null
          ? 'This log has no frames.'
          : 'The device sent no frames in this time. Select a longer time or a log.'}
      </Empty>
    );
  return (
    <div class="result" role="status">
      <p class={result.matched > 0 ? 'arrived' : 'problem'}>
        <b>{count(result.frames, 'frame')} read</b>
        {result.truncated && ' from the start of the log'}. The file describes {number(result.matched)} of their
        messages
        {result.matched === 0
          ? ': it may be for another machine or another bus.'
          : ` and not the other ${number(result.unmatched)}.`}
        {result.short > 0 &&
          ` ${count(result.short, 'value was', 'values were')} missing because the frame was too short.`}
      </p>
      {silent.length > 0 && (
        <p class="waiting">Mapped, but without a value: {silent.map(({ signal }) => signal).join(', ')}.</p>
      )}
      {result.signals.length > 0 && <Signals result={result} file={file} />}
      {result.unmatched_ids.length > 0 && (
        <details>
          <summary>Frames that the file does not describe</summary>
          <ul class="ids">
            {result.unmatched_ids.map((one) => (
              <li key={one.id}>
                <code>{one.id}</code> {number(one.count)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

export function DbcTrial(props: { session: Session; file: DbcFile; onResult(result: DbcTrialResult): void }) {
  const { session, file } = props;
  const { client } = session;
  const lists = usePolled(
    async (signal) => {
      const [devices, logs] = await Promise.all([
        readAll(session, 'devices_list', { order: 'asc' }, signal),
        client.call('artifacts_list', { limit: 100 }),
      ]);
      return { devices: devices.items, logs: logs.data.filter(({ decode_task_id }) => decode_task_id !== null) };
    },
    30_000,
    [session],
  );
  const devices = (lists.data?.devices ?? []).filter(({ last_seen_at }) => last_seen_at !== null);
  const logs = lists.data?.logs ?? [];
  const [wanted, setWanted] = useState('');
  const [minutes, setMinutes] = useState('10');
  const [result, setResult] = useState<DbcTrialResult | null>(null);
  const { busy, problem, send } = useSend();
  const from = wanted === '' ? (devices[0]?.id ?? logs[0]?.id ?? '') : wanted;
  const isLog = logs.some(({ id }) => id === from);
  const names = new Map((lists.data?.devices ?? []).map((one) => [one.id, one.name]));
  const now = session.now();
  return (
    <section class="panel-box" aria-label="Trial">
      <h2>Try it on real traffic</h2>
      <p class="aside">
        The gateway decodes recorded frames with the saved mapping and shows the result. It stores nothing.
      </p>
      <Problem text={lists.problem} />
      {lists.data !== null && from === '' && (
        <Empty title="No traffic yet">
          No device has sent data, and there is no log. Connect a device or upload a log.
        </Empty>
      )}
      {from !== '' && (
        <div class="pair">
          <Choice
            label="Traffic"
            value={from}
            disabled={busy}
            onValue={setWanted}
            options={[
              ...devices.map((one) => [one.id, `Device ${one.name}`] as const),
              ...logs.map(
                (one) =>
                  [
                    one.id,
                    `Log ${one.name ?? 'without a name'}, ${size(one.bytes)}, ${names.get(one.device_id ?? '') ?? 'no device'}, ${duration(now - Date.parse(one.received_at))} ago`,
                  ] as const,
              ),
            ]}
          />
          {!isLog && <Choice label="Time" value={minutes} disabled={busy} onValue={setMinutes} options={MINUTES} />}
        </div>
      )}
      <Problem text={problem} />
      {from !== '' && (
        <div class="actions">
          <button
            type="button"
            class="primary"
            disabled={busy}
            onClick={() =>
              send(async () => {
                const of = isLog ? { artifact_id: from } : { device_id: from, minutes: Number(minutes) };
                const found = await client.call('dbc_test', { id: file.id, ...of });
                setResult(found);
                props.onResult(found);
              })
            }
          >
            {busy ? 'Reading' : 'Try it'}
          </button>
        </div>
      )}
      {result !== null && !busy && <Result result={result} file={file} />}
    </section>
  );
}
