/** Lets a person put a version of a DBC file into use, for all devices or for some of them, and take it out of use again. */
import { useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import type { DbcFile } from './dbc-text.ts';
import type { DbcTrialResult } from './dbc-trial.tsx';

/** Returns the warning that a person sees before putting a version into use; null when its trial found no problem. */
function doubt(trial: DbcTrialResult | null, revision: number, tried: number | null): string | null {
  if (trial === null) return t('Try this version on real traffic first.');
  if (tried !== revision) return t('The mapping changed after the trial. Try it again.');
  if (trial.matched === 0) return t('In the trial the file described no frame. Check that it is for this machine.');
  const wrong = trial.signals.filter(({ implausible }) => implausible > 0);
  return wrong.length === 0
    ? null
    : t(
        'In the trial {n} signal had impossible values. Check the unit, the byte order and the machine.|In the trial {n} signals had impossible values. Check the unit, the byte order and the machine.',
        { n: wrong.length },
      );
}

/** Selects the devices for which a version is used; null means all devices. */
function Who(props: {
  wanted: readonly string[] | null;
  devices: readonly { readonly id: string; readonly name: string }[] | null;
  onWanted(wanted: readonly string[] | null): void;
}) {
  const { wanted, devices, onWanted } = props;
  return (
    <fieldset class="who">
      <legend>{t('Use for')}</legend>
      <label class="check">
        <input type="radio" name="who" checked={wanted === null} onChange={() => onWanted(null)} />
        {t('all devices of this site, also new ones')}
      </label>
      <label class="check">
        <input type="radio" name="who" checked={wanted !== null} onChange={() => onWanted(wanted ?? [])} />
        {t('these devices')}
      </label>
      {wanted !== null && (
        <div class="devices">
          {devices?.length === 0 && <p class="aside">{t('There are no devices yet.')}</p>}
          {(devices ?? []).map((one) => (
            <label class="check" key={one.id}>
              <input
                type="checkbox"
                checked={wanted.includes(one.id)}
                onChange={() =>
                  onWanted(wanted.includes(one.id) ? wanted.filter((id) => id !== one.id) : [...wanted, one.id].sort())
                }
              />
              {one.name}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

export function DbcUse(props: {
  session: Session;
  file: DbcFile;
  files: readonly DbcFile[];
  trial: DbcTrialResult | null;
  /** The revision of the mapping with which the trial was made. */
  tried: number | null;
  onDone(): void;
}) {
  const { session, file } = props;
  const { client } = session;
  const { busy, problem, send } = useSend();
  const devices = usePolled(
    (signal) => readAll(session, 'devices_list', { order: 'asc' }, signal),
    30_000,
    [session],
    ['device'],
  );
  const [chosen, setChosen] = useState<readonly string[] | null | undefined>(undefined);
  const wanted = chosen === undefined ? file.device_ids : chosen;
  const other = props.files.find((one) => one.name === file.name && one.id !== file.id && one.active);
  const list = devices.data?.items ?? [];
  const names = new Map(list.map((one) => [one.id, one.name]));
  const now = session.now();
  const activate = () =>
    send(async () => {
      const input = { id: file.id, device_ids: wanted === null ? null : [...wanted] };
      await client.call('dbc_activate', input, { if_match: file.revision, idempotency_key: newIdempotencyKey() });
      setChosen(undefined);
      props.onDone();
    });
  const deactivate = () =>
    send(async () => {
      await client.call(
        'dbc_deactivate',
        { id: file.id },
        { if_match: file.revision, idempotency_key: newIdempotencyKey() },
      );
      props.onDone();
    });
  const same = file.active && JSON.stringify(wanted) === JSON.stringify(file.device_ids);
  const against = file.active ? null : doubt(props.trial, file.revision, props.tried);
  return (
    <section class="panel-box" aria-label={t('Use')}>
      <h2>{t('Use it')}</h2>
      {file.active ? (
        <p class="arrived">
          {file.device_ids === null
            ? t('In use for all devices of this site.')
            : t('In use for {devices}.', {
                devices: file.device_ids.map((id) => names.get(id) ?? (devices.data === null ? '…' : id)).join(', '),
              })}
          {file.first_activated_at !== null &&
            ` ${t('First used {time}.', {
              time: moment(Date.parse(file.first_activated_at), now, session.project.timezone),
            })}`}
        </p>
      ) : (
        <p>
          {file.mapping.length === 0
            ? t('Map at least one signal first.')
            : t(
                'The gateway will decode {n} signal from new data with this version.|The gateway will decode {n} signals from new data with this version.',
                { n: file.mapping.length },
              )}
          {other !== undefined && ` ${t('It replaces version {n}, which is in use now.', { n: other.version })}`}
        </p>
      )}
      {file.mapping.length > 0 && (
        <>
          <Who wanted={wanted} devices={devices.data?.items ?? null} onWanted={setChosen} />
          {against !== null && <p class="waiting">{against}</p>}
        </>
      )}
      <Problem text={problem ?? devices.problem} />
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={busy || same || file.mapping.length === 0 || wanted?.length === 0}
          onClick={activate}
        >
          {t(busy ? 'Sending' : file.active ? 'Change devices' : 'Put into use')}
        </button>
        {file.active && (
          <button type="button" disabled={busy} onClick={deactivate}>
            {t('Take out of use')}
          </button>
        )}
      </div>
    </section>
  );
}
