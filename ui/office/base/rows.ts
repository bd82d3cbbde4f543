/** Rows of machines and devices: from the live stream, or from list reads while the stream is not live. */
import { useMemo } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { readAll } from './lists.ts';
import { useLiveStore, useProjectLive } from './project-live.ts';
import type { Session } from './session.ts';
import { type Polled, usePolled } from './use.ts';

type Device = Output<'devices_list'>['data'][number];

/** A list of rows, its total number of rows if known, and whether the gateway has more rows. */
export interface Rows<T> extends Pick<Polled<unknown>, 'problem' | 'reload'> {
  /** The rows; null until the first answer of the gateway. */
  readonly rows: readonly T[] | null;
  readonly total?: number;
  readonly more: boolean;
}

type Equipment = Output<'equipment_list'>['data'][number];

function troubleOf({ attention }: Equipment): Pick<MachineRow, 'trouble'> {
  const [first] = attention?.reasons ?? [];
  if (first === undefined || attention?.place == null) return {};
  const { grade, cause, says, probably, trend, since, owner } = first;
  const since_ms = since === null ? null : Date.parse(since);
  const more = {
    ...(probably !== null && { probably }),
    ...(trend !== null && { trend }),
    ...(owner !== null && { owner }),
  };
  return { trouble: { place: attention.place, reason: { grade, points: 0, cause, says, since_ms, ...more } } };
}

const rowOf = (machine: Equipment): MachineRow => ({
  ...machine,
  ...troubleOf(machine),
  recorded: machine.last_live_data_at === null && machine.context.device_id !== null,
  context: { fields: machine.context.fields ?? {} },
});

/** Returns the machines of the project by unit number. */
export function useMachineRows(session: Session): Rows<MachineRow> {
  const live = useProjectLive();
  const store = useLiveStore();
  const listed = usePolled(
    (signal) =>
      store.state.live
        ? Promise.resolve(null)
        : readAll(session, 'equipment_list', { order: 'asc', include: 'attention' }, signal),
    2_000,
    [session],
    ['equipment'],
  );
  const { problem, reload } = listed;
  const read = useMemo(() => listed.data?.items.map(rowOf) ?? null, [listed.data]);
  if (live.live && live.machines !== null)
    return { rows: live.machines, total: live.total, more: false, problem: null, reload };
  return { rows: read ?? live.machines, more: listed.data?.more ?? false, problem, reload };
}

/** Returns the devices of the project in order of creation, with status and counters of the stream. */
export function useDeviceRows(session: Session): Rows<Device> {
  const live = useProjectLive();
  const listed = usePolled(
    (signal) => readAll(session, 'devices_list', { order: 'asc' }, signal),
    2_000,
    [session],
    ['device'],
  );
  const { data, problem, reload } = listed;
  const rows = useMemo(
    () =>
      data?.items.map((device) => {
        const now = live.live ? live.devices.get(device.id) : undefined;
        // The status of a device that never sent data depends on its credential. The live stream does not contain this status, so use the
        // status from the list.
        if (now === undefined || now.last_seen_at === null) return device;
        const { status, status_color, last_seen_at, messages_total, decode_errors_total } = now;
        return {
          ...device,
          status,
          status_color,
          last_seen_at,
          metrics: { ...device.metrics, messages_total, decode_errors_total },
        };
      }) ?? null,
    [data, live],
  );
  return { rows, more: data?.more ?? false, problem, reload };
}
