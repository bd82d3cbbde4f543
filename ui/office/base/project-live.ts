/**
 * The live stream of the office page. Each page reads its lists once, and reads a list again when the stream reports a change of an object
 * of the same kind. While no message arrives on the stream, the pages read their lists at intervals. So the pages also work behind a proxy
 * that buffers the stream.
 */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { SILENCE_MS } from '#contract/site/live.ts';
import type { DeviceRow, MachineRow, ProjectDelta, ProjectSnapshot } from '#contract/site/project-live.ts';
import { readEvents } from './read-events.ts';
import type { Session } from './session.ts';

const RETRY_MS = 3_000;

/** The machines and devices as the live stream last reported them. */
export interface ProjectLive {
  /** True while messages arrive on the stream. It is false before the first snapshot, and after 15 s without a message. */
  readonly live: boolean;
  /** The machines in the order of unit numbers; null before the first snapshot. */
  readonly machines: readonly MachineRow[] | null;
  /** Number of machines in the project. It may be larger than the length of `machines`, because the stream has a limit. */
  readonly total: number;
  readonly devices: ReadonlyMap<string, DeviceRow>;
}

interface Store {
  readonly state: ProjectLive;
  /** `performance.now()` at the last message of the stream; null before the first message. */
  readonly heardAt: number | null;
  /**
   * Calls `listener` with the kinds of objects that changed. If rows or the state of the stream changed, calls it with an empty set.
   * Returns the unsubscribe function.
   */
  subscribe(listener: (changed: ReadonlySet<string>) => void): () => void;
}

const NOTHING: ProjectLive = { live: false, machines: null, total: 0, devices: new Map() };
const NO_KINDS: ReadonlySet<string> = new Set();
/** The kind that listeners get after a reconnect. It means that objects of any kind may have changed. */
export const ANY_KIND = '*';

const NO_STREAM: Store = { state: NOTHING, heardAt: null, subscribe: () => () => {} };
const Context = createContext<Store>(NO_STREAM);

/** Provides the live stream to the pages inside this component. */
export const ProjectLiveProvider = Context.Provider;

const byUnit = (a: MachineRow, b: MachineRow) => a.unit_number.localeCompare(b.unit_number, 'en', { numeric: true });

/** Applies a delta of the live stream: the rows that changed. Returns the new state. */
function applyDelta(before: ProjectLive, delta: ProjectDelta): ProjectLive {
  const machines = new Map((before.machines ?? []).map((row) => [row.id, row]));
  for (const row of delta.machines) machines.set(row.id, row);
  for (const id of delta.gone) machines.delete(id);
  const devices = new Map(before.devices);
  for (const row of delta.devices) devices.set(row.id, row);
  return { live: true, machines: [...machines.values()].sort(byUnit), total: delta.machines_total, devices };
}

/** Converts the snapshot with which the live stream begins to a state. */
function fromSnapshot({ machines, machines_total, devices }: ProjectSnapshot): ProjectLive {
  return {
    live: true,
    machines: [...machines].sort(byUnit),
    total: machines_total,
    devices: new Map(devices.map((row) => [row.id, row])),
  };
}

/** Opens the live stream, and reconnects after each failure until the caller calls `stop`. */
export function openProjectLive(session: Session): Store & { stop(): void } {
  const listeners = new Set<(changed: ReadonlySet<string>) => void>();
  const stopped = new AbortController();
  let state = NOTHING;
  let lastEventMs: number | null = null;
  const become = (next: ProjectLive, changed: ReadonlySet<string>) => {
    state = next;
    for (const listener of [...listeners]) listener(changed);
  };
  const onEvent = (name: string, data: string) => {
    lastEventMs = performance.now();
    if (name === 'snapshot') become(fromSnapshot(JSON.parse(data) as ProjectSnapshot), new Set([ANY_KIND]));
    else if (name === 'delta') {
      const delta = JSON.parse(data) as ProjectDelta;
      become(applyDelta(state, delta), new Set(delta.changed));
    }
  };
  const watchdog = setInterval(() => {
    if (state.live && performance.now() - (lastEventMs ?? 0) > SILENCE_MS) become({ ...state, live: false }, NO_KINDS);
  }, 1_000);
  const run = async () => {
    while (!stopped.signal.aborted) {
      try {
        const url = session.client.url('project_live', {});
        const answer = await fetch(url, { headers: session.client.headers(), signal: stopped.signal });
        if (answer.ok && answer.body !== null) await readEvents(answer.body, onEvent);
      } catch {
        // The gateway does not answer, or this page closes.
      }
      if (state.live) become({ ...state, live: false }, NO_KINDS);
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  };
  void run();
  return {
    get state() {
      return state;
    },
    get heardAt() {
      return lastEventMs;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopped.abort();
      clearInterval(watchdog);
    },
  };
}

/** Returns the live stream, for hooks that call `subscribe`. */
export function useLiveStore(): Store {
  return useContext(Context);
}

/** Returns the state of the live stream. The component renders again when the state changes. */
export function useProjectLive(): ProjectLive {
  const store = useLiveStore();
  const [state, setState] = useState(store.state);
  useEffect(() => {
    setState(store.state);
    return store.subscribe(() => setState(store.state));
  }, [store]);
  return state;
}
