/** The state of the exchange between this site and head office, which one read of the office provides to all pages. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SyncGateway, SyncStatus } from '#contract/site/sync.ts';
import { may, type NodeSession } from './session.ts';
import { type Polled, usePolled } from './use.ts';

const EVERY_MS = 10_000;
const NONE: Polled<SyncStatus | null> = { data: null, problem: null, at: null, streamed: false, reload: () => {} };

const EndsContext = createContext<Polled<SyncStatus | null>>(NONE);
export const EndsProvider = EndsContext.Provider;

/** Returns the state that the office last read; null before the first answer. */
export const useEnds = (): Polled<SyncStatus | null> => useContext(EndsContext);

/** Reads the state of the exchange every 10 s. */
export function useEndsRead(session: NodeSession): Polled<SyncStatus | null> {
  return usePolled(
    (signal) =>
      may(session, 'sync_status') ? session.client.call('sync_status', {}, { signal }) : Promise.resolve(null),
    EVERY_MS,
    [session],
  );
}

/** At head office: the gateway that brought a project; undefined for a project of head office itself. */
export const gatewayOf = (status: SyncStatus | null, project_id: string): SyncGateway | undefined =>
  status?.gateways.find(({ projects }) => projects.includes(project_id));

/** How many records of a project wait for a decision of a person; null if no exchange is set up, so that none can. */
export function conflictCount(status: SyncStatus | null, project_id: string): number | null {
  if (status === null || status.state === 'off') return null;
  const found = status.projects.find((project) => project.project_id === project_id) ?? gatewayOf(status, project_id);
  return found?.conflicts ?? null;
}
