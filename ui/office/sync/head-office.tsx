/** The page about the other end: at a site, head office; at head office, its sites. */
import { useEffect } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { useEnds, useEndsRead } from '#ui/office/base/ends.ts';
import { type NodeSession, type Session, storeProject } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { Fleet } from './fleet.tsx';
import { SiteLink } from './site-link.tsx';

export function HeadOfficePage({ session, onProject }: { session: Session; onProject(): void }) {
  const status = useEnds();
  if (session.role === 'gateway') return <SiteLink session={session} />;
  const names = new Map(session.projects.map(({ id, name }) => [id, name]));
  const open = (project_id: string) => {
    storeProject(project_id);
    location.hash = 'now';
    onProject();
  };
  return (
    <Fleet session={session} status={status} projectName={(id) => names.get(id) ?? t('this site')} onOpen={open} />
  );
}

/** Head office before a site has brought its first project. */
export function NoSitesPage({ office, onArrived }: { office: NodeSession; onArrived(): void }) {
  const status = useEndsRead(office);
  const projects = usePolled(() => office.client.call('projects_list', { limit: 1 }), 3_000, [office]);
  const isThere = (projects.data?.data.length ?? 0) > 0;
  useEffect(() => {
    if (isThere) onArrived();
  }, [isThere]);
  return (
    <div class="office">
      <header>
        <strong>Headframe</strong>
        <span>{t('Head office')}</span>
      </header>
      <main>
        <Fleet session={office} status={status} projectName={() => t('this site')} onOpen={onArrived} />
      </main>
    </div>
  );
}
