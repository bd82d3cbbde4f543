/** Entry of index.html. It shows the sign-in page, and then the page that the URL hash names. */
import '#ui/office/base/no-eval.ts';
import { type ComponentChildren, Fragment, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OperationName } from '#contract/operations.ts';
import { isServedBy } from '#contract/served.ts';
import { afterPaint } from '#ui/after-paint.ts';
import { language, t, type Word } from '#ui/languages/texts.ts';
import { conflictCount, EndsProvider, useEndsRead } from '#ui/office/base/ends.ts';
import { ConflictBadge, EndsMark, OldNews } from '#ui/office/base/ends-mark.tsx';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { Navigation, type NavigationGroup } from '#ui/office/base/navigation.tsx';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { openProjectLive, ProjectLiveProvider } from '#ui/office/base/project-live.ts';
import {
  type Entry,
  enter,
  errorText,
  may,
  type Project,
  type Session,
  signOut,
  storedKey,
  storeProject,
} from '#ui/office/base/session.ts';
import { roleText } from '#ui/office/base/status-words.ts';
import { onSpoken, sessionOf, speakAgain, speakFor } from '#ui/office/language/speak.ts';
import { OutboxLine, OutboxMark, sendAs } from '#ui/office/outbox/later.ts';
import { useSearchKeys } from '#ui/office/search/search-keys.ts';
import { TabletSession } from '#ui/office/tablet/tablet-session.tsx';
import { AlertCount } from '#ui/office/work/alert-count.tsx';
import { drawPage, loadWriting, openedBy, type Shown } from './pages.tsx';
import { GROUPS } from './places.ts';

/** The pages for claim, sign in, invitation and first site. Their code loads apart: a person who is signed in does not wait for it. */
const enterPages = () => import('#ui/office/site/enter.tsx');
const ClaimPage = lazyPage(() => enterPages().then((one) => one.ClaimPage));
const InvitePage = lazyPage(() => enterPages().then((one) => one.InvitePage));
const ProjectPage = lazyPage(() => enterPages().then((one) => one.ProjectPage));
const SignInPage = lazyPage(() => enterPages().then((one) => one.SignInPage));

const EnrolPage = lazyPage(() => import('#ui/office/tablet/enrol.tsx').then((one) => one.EnrolPage));
const TabletGonePage = lazyPage(() => import('#ui/office/tablet/enrol.tsx').then((one) => one.TabletGonePage));
const TabletPage = lazyPage(() => import('#ui/office/tablet/tablet-screen.tsx').then((one) => one.TabletScreenPage));
const NoSitesPage = lazyPage(() => import('#ui/office/sync/head-office.tsx').then((one) => one.NoSitesPage));
const LiveNote = lazyPage(() => import('#ui/office/sync/live-note.tsx').then((one) => one.LiveNote), 'part');
const PaperLine = lazyPage(() => import('#ui/office/site/paper-line.tsx').then((one) => one.PaperLine), 'quiet');
const ReplaceBox = lazyPage(() => import('#ui/office/sync/replace-box.tsx').then((one) => one.ReplaceBox));
const SearchDialog = lazyPage(() => import('#ui/office/search/search.tsx').then((one) => one.SearchDialog), 'part');

const OPERATIONS: ReadonlyMap<string, OperationName> = new Map(
  GROUPS.flatMap(([, pages]) => pages.map(([id, , operation]) => [id, operation] as const)),
);

/** At head office the page about the other end is about the sites. */
const titleOf = ({ role }: Session, page: string, title: Word): string =>
  t(role === 'cloud' && page === 'head-office' ? 'Sites' : title);

/** Pages about the whole gateway. A person of some of its sites does not see them. */
const OF_ALL_SITES: ReadonlySet<string> = new Set(['encryption']);

/** Returns the operation that a person must be allowed to call to see the page. */
const operationOf = (page: string): OperationName | undefined => OPERATIONS.get(page.split('/')[0] ?? '');

/** Returns false for a page that the person may not see. */
function isAllowed(session: Session, page: string): boolean {
  const operation = operationOf(page);
  if (OF_ALL_SITES.has(page) && session.me.project_ids !== null) return false;
  return operation === undefined || may(session, operation);
}

/**
 * Parses the URL hash: `#devices` is a page, `#devices/dev_...` a device, `#story/eq_...` the story of a machine. `#pair=7KQ-2MD`, which
 * comes from the QR code on a TV, opens the page Screens with this pairing code filled in.
 */
function place(): { page: string; code: string } {
  const hash = location.hash.replace(/^#\/?|\/+$/g, '');
  const code = /^pair(?:=|\?code=)([A-Za-z0-9-]{1,12})$/.exec(hash)?.[1];
  return code === undefined ? { page: openedBy(hash), code: '' } : { page: 'screens', code };
}

/** Returns the pages that a person may see. `conflicts` is the number of open conflicts, or null if the site has no other end. */
function groupsOf(session: Session, conflicts: number | null): NavigationGroup[] {
  const marks: Readonly<Record<string, ComponentChildren>> = {
    alerts: <AlertCount session={session} />,
    conflicts: conflicts !== null && conflicts > 0 && <ConflictBadge count={conflicts} />,
  };
  return GROUPS.map(([title, pages]) => ({
    title: t(title),
    pages: pages
      .filter(([id]) => isAllowed(session, id) && (id !== 'conflicts' || conflicts !== null))
      .map(([id, name]) => ({ id, title: titleOf(session, id, name), mark: marks[id] })),
  })).filter(({ pages }) => pages.length > 0);
}

function Page(props: Omit<Shown, 'at'>) {
  const { session, page } = props;
  const operation = operationOf(page);
  if (operation !== undefined && !isServedBy(session.role, operation))
    return (
      <Empty isPage title={t('Not on this gateway')}>
        {session.role === 'cloud'
          ? t('Only the gateway of a site has this page.')
          : t('Only head office has this page.')}
      </Empty>
    );
  if (!isAllowed(session, page))
    return (
      <Empty isPage title={t('Not for your role')}>
        {OF_ALL_SITES.has(page) && operation !== undefined && may(session, operation)
          ? t('Only people of all sites see this page.')
          : t('The role {role} does not include this page.', { role: roleText(session.me.role) })}
      </Empty>
    );
  return drawPage({ ...props, at: page.slice(page.indexOf('/') + 1 || page.length) });
}

/** Returns the session with the new settings of the project that a person has saved. */
function withProject(session: Session, saved: Project): Session {
  return { ...session, project: saved, projects: session.projects.map((one) => (one.id === saved.id ? saved : one)) };
}

function Inside(props: { session: Session; onOut(): void; onProject(): void; onSaved(project: Project): void }) {
  const { session } = props;
  const [at, setAt] = useState(place());
  const [isSearching, setSearching] = useState(false);
  useSearchKeys(() => setSearching(true));
  const [live] = useState(() => openProjectLive(props.session));
  const ends = useEndsRead(props.session, at.page);
  const view = ends.data?.live;
  const conflicts = conflictCount(ends.data, session.project.id);
  useEffect(() => () => live.stop(), [live]);
  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener('hashchange', moved);
    // The hash may have changed between the first rendering and this effect, which runs after the browser painted.
    moved();
    return () => removeEventListener('hashchange', moved);
  }, []);
  const groups = groupsOf(session, conflicts);
  return (
    <ProjectLiveProvider value={live}>
      <EndsProvider value={ends}>
        <div class="office">
          <header>
            <strong>Headframe</strong>
            {session.projects.length > 1 ? (
              <select
                aria-label={t('Site')}
                value={session.project.id}
                onChange={(event) => {
                  storeProject(event.currentTarget.value);
                  props.onProject();
                }}
              >
                {session.projects.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}
                  </option>
                ))}
              </select>
            ) : (
              <span>{session.project.name}</span>
            )}
            {session.project.simulated && <span class="demo">{t('Demo, simulated machines')}</span>}
            <EndsMark session={session} />
            <OutboxMark />
            <button type="button" class="quiet search" title={t('Search (Ctrl+K)')} onClick={() => setSearching(true)}>
              {t('Search')}
            </button>
            {session.me.tablet !== null ? (
              <TabletSession session={session} onOut={props.onOut} />
            ) : (
              <button type="button" class="quiet" onClick={() => void signOut(session).then(props.onOut, props.onOut)}>
                {t('Sign out')} {session.me.kind === 'user' && session.me.name}
              </button>
            )}
          </header>
          <Navigation groups={groups} at={at.page.split('/')[0] ?? ''} />
          <main>
            <PaperLine session={session} />
            <OldNews session={session} />
            {view != null && view.state !== 'away' && <LiveNote view={view} session={session} />}
            <Page session={session} page={at.page} code={at.code} onProject={props.onProject} onSaved={props.onSaved} />
            {isSearching && <SearchDialog session={session} groups={groups} onClose={() => setSearching(false)} />}
          </main>
        </div>
      </EndsProvider>
    </ProjectLiveProvider>
  );
}

function Office() {
  const [entry, setEntry] = useState<Entry | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const [, setSpoken] = useState(language());
  const again = () => setRound((n) => n + 1);
  useEffect(() => onSpoken(() => setSpoken(language())), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const entering = enter(storedKey()).then((found) => speakFor(sessionOf(found)).then(() => found));
    entering.then(
      (found) => {
        setProblem(null);
        setEntry(found);
        sendAs(found);
        if (found.at === 'in') afterPaint(loadWriting);
      },
      (error: unknown) => {
        setProblem(`${errorText(error)} ${t('Trying again.')}`);
        timer = setTimeout(again, 3_000);
      },
    );
    // Before the office, the hash decides between the sign-in page and the pages of a claim, an invitation or a tablet.
    const moved = () => /^#(claim(=|$)|local=|invite=|tablet=|replace$)/.test(location.hash) && again();
    addEventListener('hashchange', moved);
    return () => {
      clearTimeout(timer);
      removeEventListener('hashchange', moved);
    };
  }, [round]);
  const onSaved = (project: Project) =>
    setEntry((now) => {
      // The person may have left, or chosen another project, before the answer came.
      if (now?.at !== 'in' || now.session.project.id !== project.id) return now;
      const next = { ...now, session: withProject(now.session, project) };
      void speakAgain(next.session);
      return next;
    });
  // Another language draws the whole page again.
  return (
    <Fragment key={`${language().tag} ${language().us}`}>{pageOf(entry, problem, round, again, onSaved)}</Fragment>
  );
}

/** Returns the page of an entry. */
function pageOf(
  entry: Entry | null,
  problem: string | null,
  round: number,
  again: () => void,
  onSaved: (project: Project) => void,
): ComponentChildren {
  if (entry === null) {
    return (
      <main class="card">
        <h1>Headframe</h1>
        {problem === null ? <p>{t('Loading')}</p> : <Problem text={problem} />}
        {problem !== null && <OutboxLine />}
      </main>
    );
  }
  if (entry.at === 'claim') return <ClaimPage onIn={again} isBack={entry.isBack} given={entry.code} />;
  if (entry.at === 'invite') return <InvitePage token={entry.token} onIn={again} />;
  if (entry.at === 'enrol') return <EnrolPage token={entry.token} onIn={again} />;
  if (entry.at === 'tablet') return <TabletPage key={round} screen={entry.screen} onIn={again} />;
  if (entry.at === 'tablet-gone') return <TabletGonePage why={entry.why} onIn={again} />;
  if (entry.at === 'sign-in') return <SignInPage key={round} how={entry.how} refused={entry.refused} onIn={again} />;
  if (entry.at === 'no-sites') return <NoSitesPage office={entry.office} onArrived={again} />;
  if (entry.at === 'project' && location.hash === '#replace')
    return <ReplaceBox client={entry.client} onDone={again} />;
  if (entry.at === 'project') return <ProjectPage client={entry.client} now_ms={Date.now()} onDone={again} />;
  return (
    <Inside
      key={`${entry.session.me.user?.id} ${entry.session.project.id}`}
      session={entry.session}
      onOut={again}
      onProject={again}
      onSaved={onSaved}
    />
  );
}

const light = matchMedia('(prefers-color-scheme: light)');
const follow = () => {
  document.documentElement.dataset.theme = light.matches ? 'tv-light' : 'tv-dark';
};
light.addEventListener('change', follow);
// Paper is white.
addEventListener('beforeprint', () => {
  document.documentElement.dataset.theme = 'tv-light';
});
addEventListener('afterprint', follow);
follow();

const root = document.getElementById('office');
if (root !== null) void speakFor(null).then(() => render(<Office />, root));
