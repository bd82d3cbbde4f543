/** The state of the exchange between this site and head office, which one read of the office provides to all pages. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { SyncStatus } from '#contract/site/sync.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { may, type NodeSession, type Session } from './session.ts';
import { type Polled, usePolled } from './use.ts';

const EVERY_MS = 10_000;
/** The same until the site knows that somebody looks. */
const SOON_MS = 2_000;
const NONE: Ends = { data: null, problem: null, at: null, streamed: false, reload: () => {}, pay: () => {} };

const EndsContext = createContext<Ends>(NONE);
export const EndsProvider = EndsContext.Provider;

/** Returns the state that the office last read; null before the first answer. */
export const useEnds = (): Ends => useContext(EndsContext);

/** The pages that show live values of machines. */
const LIVE_PAGES: ReadonlySet<string> = new Set(['machines', 'now', 'story', 'map', 'screens']);

interface Ends extends Polled<SyncStatus | null> {
  /** A person wants live values although the bytes of the link are counted. */
  pay(): void;
}

/** Reads the state of the exchange every 10 s. At head office, a page with live values asks the site for them, as long as it is visible. */
export function useEndsRead(session: NodeSession | Session, page = ''): Ends {
  const project = 'project' in session ? session.project.id : null;
  const wants = session.role === 'cloud' && LIVE_PAGES.has(page.split('/')[0] ?? '');
  const [paid, setPaid] = useState<string | null>(null);
  const [waits, setWaits] = useState(false);
  const live = wants && project !== null ? { live: project, ...(paid === project && { live_counted: true }) } : {};
  const polled = usePolled(
    (signal) =>
      may(session, 'sync_status') ? session.client.call('sync_status', live, { signal }) : Promise.resolve(null),
    waits ? SOON_MS : EVERY_MS,
    [session, wants, paid, waits],
  );
  const isAsked = polled.data?.live?.state === 'asked';
  useEffect(() => setWaits(isAsked), [isAsked]);
  return { ...polled, pay: () => setPaid(project) };
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
