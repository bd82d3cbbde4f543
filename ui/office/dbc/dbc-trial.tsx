/**
 * The trial of a DBC file: the gateway decodes recorded frames with the file. The page shows which of the frames the file describes, and
 * which values it gives for them.
 */
import { useState } from 'preact/hooks';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t, translated, type Word } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Empty, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { type DbcFile, inOurs, number } from './dbc-text.ts';

export type DbcTrialResult = Output<'dbc_test'>;
type Tested = DbcTrialResult['signals'][number];

const MINUTES = [
  ['10', 'the last 10 minutes'],
  ['30', 'the last 30 minutes'],
  ['60', 'the last hour'],
] as const satisfies readonly (readonly [string, Word])[];
const SHOWN = 30;

function share(n: number, of: number): string {
  return n === 0 ? '0' : `${number(n)} (${n * 100 < of ? t('under 1') : Math.round((100 * n) / of)} %)`;
}

function Numbers({ one, unit }: { one: Tested; unit: string }) {
  if (one.min === null || one.max === null) return <>{t('no value')}</>;
  const [least, most] = one.to === null ? [null, null] : [inOurs(one.min, unit, one.to), inOurs(one.max, unit, one.to)];
  return (
    <>
      {t('{from} to {to}', { from: number(one.min), to: number(one.max) })} {one.unit}
      {least !== null && most !== null && (
        <small class="said-line">{t('{from} to {to} converted', { from: least, to: most })}</small>
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
              <th scope="col">{t('Signal')}</th>
              <th scope="col" class="figure">
                {t('Values')}
              </th>
              <th scope="col">{t('Lowest to highest')}</th>
              <th scope="col" class="figure">
                {t('No value')}
              </th>
              <th scope="col" class="figure">
                {t('Out of range')}
              </th>
              <th scope="col" class="figure">
                {t('Impossible')}
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
                    {one.to !== null &&
                      `, ${t('mapped to {label}', { label: translated(signalRow(one.to as SignalName).label) })}`}
                  </small>
                </th>
                <td class="figure" data-label={t('Values')}>
                  {number(one.values)}
                </td>
                <td data-label={t('Lowest to highest')}>
                  <Numbers one={one} unit={unitOf(one)} />
                </td>
                <td class="figure" data-label={t('No value')}>
                  {share(one.states, one.states + one.values)}
                </td>
                <td class="figure" data-label={t('Out of range')}>
                  {one.out_of_range === 0 ? '0' : <b class="warn">{share(one.out_of_range, one.values)}</b>}
                </td>
                <td class="figure" data-label={t('Impossible')}>
                  {one.to === null ? (
                    t('not mapped')
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
            {t('Show all {n} signals', { n: result.signals.length })}
          </button>
        </div>
      )}
      <p class="aside">
        {t(
          'No value: the machine sent "not available" or "error" (J1939). Out of range: outside the range in the file; the gateway still uses the value. Impossible: outside the range of the site signal; the gateway ignores the value.',
        )}
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
      <Empty title={t('No traffic')}>
        {result.device_id === null
          ? t('This log has no frames.')
          : t('The device sent no frames in this time. Select a longer time or a log.')}
      </Empty>
    );
  return (
    <div class="result" role="status">
      <p class={result.matched > 0 ? 'arrived' : 'problem'}>
        <b>{t('{n} frame read|{n} frames read', { n: number(result.frames) })}</b>
        {result.truncated && ` ${t('from the start of the log')}`}.{' '}
        {result.matched === 0
          ? t('The file describes none of their messages: it may be for another machine or another bus.')
          : t('The file describes {some} of their messages and not the other {others}.', {
              some: number(result.matched),
              others: number(result.unmatched),
            })}
        {result.short > 0 &&
          ` ${t(
            '{n} value was missing because the frame was too short.|{n} values were missing because the frame was too short.',
            { n: number(result.short) },
          )}`}
      </p>
      {silent.length > 0 && (
        <p class="waiting">
          {t('Mapped, but without a value: {names}.', { names: silent.map(({ signal }) => signal).join(', ') })}
        </p>
      )}
      {result.signals.length > 0 && <Signals result={result} file={file} />}
      {result.unmatched_ids.length > 0 && (
        <details>
          <summary>{t('Frames that the file does not describe')}</summary>
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
    <section class="panel-box" aria-label={t('Trial')}>
      <h2>{t('Try it on real traffic')}</h2>
      <p class="aside">
        {t('The gateway decodes recorded frames with the saved mapping and shows the result. It stores nothing.')}
      </p>
      <Problem text={lists.problem} />
      {lists.data !== null && from === '' && (
        <Empty title={t('No traffic yet')}>
          {t('No device has sent data, and there is no log. Connect a device or upload a log.')}
        </Empty>
      )}
      {from !== '' && (
        <div class="pair">
          <Choice
            label={t('Traffic')}
            value={from}
            disabled={busy}
            onValue={setWanted}
            options={[
              ...devices.map((one) => [one.id, t('Device {device}', { device: one.name })] as const),
              ...logs.map(
                (one) =>
                  [
                    one.id,
                    [
                      t('Log {name}', { name: one.name ?? t('without a name') }),
                      size(one.bytes),
                      names.get(one.device_id ?? '') ?? t('no device'),
                      t('{age} ago', { age: duration(now - Date.parse(one.received_at)) }),
                    ].join(', '),
                  ] as const,
              ),
            ]}
          />
          {!isLog && (
            <Choice
              label={t('Time')}
              value={minutes}
              disabled={busy}
              onValue={setMinutes}
              options={MINUTES.map(([value, text]) => [value, t(text)] as const)}
            />
          )}
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
            {t(busy ? 'Reading' : 'Try it')}
          </button>
        </div>
      )}
      {result !== null && !busy && <Result result={result} file={file} />}
    </section>
  );
}
