/** The page of head office about its sites: which are connected, what waits, and the code with which a further site connects. */
import { useState } from 'preact/hooks';
import type { SyncStatus } from '#contract/site/sync.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { duration } from '#ui/format.ts';
import { language, t, type Word } from '#ui/languages/texts.ts';
import { Empty, Problem, Told, TruncationNote } from '#ui/office/base/parts.tsx';
import { may, type NodeSession } from '#ui/office/base/session.ts';
import { type Polled, useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { localTime } from '#ui/office/language/local-time.ts';
import { Live, Lost, Unknown } from '#ui/tiles/marks.tsx';
import { Boxes } from './boxes.tsx';
import { CourierBox } from './courier.tsx';
import { paused, waitingFiles } from './files.tsx';
import { AddSite, CodeCard, type Enrolment, type Made, OpenCodes } from './site-codes.tsx';
import { sizeText } from './sync-words.ts';

const SHOWN = 200;

const COLUMNS = ['Site', 'Last heard', 'Health then', 'Waits', 'Version'] as const satisfies readonly Word[];

function HealthText({ problems }: Pick<SyncGateway, 'problems'>) {
  if (problems === null) return <>{t('Not known')}</>;
  return <>{problems === 0 ? t('No problem') : t('{n} problem|{n} problems', { n: problems })}</>;
}

const backlog = ({ waiting, waiting_here }: SyncGateway): string =>
  [
    waiting === null || waiting === 0
      ? ''
      : t('{count} at the site', { count: waiting.toLocaleString(language().tag) }),
    waiting_here === 0 ? '' : waiting_here >= 1_000 ? t('at least 1,000 here') : t('{n} here', { n: waiting_here }),
  ]
    .filter((text) => text !== '')
    .join(', ') || t('Nothing');

/** Photos and logs of a site, as it last told. */
function FilesOfSite({ gateway: { files, connected }, now }: { gateway: SyncGateway; now: number }) {
  if (files === null || files.waiting === 0) return null;
  const why = paused(files, now, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { current } = files;
  return (
    <div class="file-moves">
      <small>
        {t(connected ? '{files} still to move.' : '{files} to move at the last contact.', {
          files: waitingFiles(files),
        })}{' '}
        {why}
      </small>
      {connected && current !== null && (
        <>
          <progress
            aria-label={t('{name} has arrived so far', { name: current.name ?? t('File') })}
            max={Math.max(1, current.bytes)}
            value={current.done}
          />
          <small>
            {current.name ?? t('File')}:{' '}
            {t('{part} of {whole}', { part: sizeText(current.done), whole: sizeText(current.bytes) })}
          </small>
        </>
      )}
    </div>
  );
}

/** Makes a code with which a new box takes the place of the one of this site. */
function Replace(props: { session: NodeSession; gateway: SyncGateway; onMade(made: Made): void }) {
  const { session, gateway } = props;
  const { busy, problem, send } = useSend();
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() =>
          send(async () => {
            const { gateway_id, name } = gateway;
            props.onMade(await session.client.call('sync_enrolments_create', { name, gateway_id }));
          })
        }
      >
        {t('Replace the box')}
        <span class="hidden"> {t('of {name}', { name: gateway.name })}</span>
      </button>
      <Problem text={problem} />
    </>
  );
}

function Revoke({ session, gateway, onDone }: { session: NodeSession; gateway: SyncGateway; onDone(): void }) {
  const [asking, setAsking] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() => {
          if (!asking) return setAsking(true);
          return send(async () => {
            await session.client.call('sync_enrolments_revoke', { id: gateway.enrolment_id });
            onDone();
          });
        }}
      >
        {asking ? t('Revoke {name} now', { name: gateway.name }) : t('Revoke')}
        {!asking && <span class="hidden"> {gateway.name}</span>}
      </button>
      <Problem text={problem} />
    </>
  );
}

function SiteRow(props: {
  session: NodeSession;
  gateway: SyncGateway;
  now: number;
  projectName(id: string): string;
  onOpen(project_id: string): void;
  onDone(): void;
  onMade(made: Made): void;
}) {
  const { session, gateway, now } = props;
  const heard = gateway.connected;
  const { last_contact_at: at } = gateway;
  const isRevoked = gateway.state === 'revoked';
  return (
    <tr class={heard || isRevoked ? '' : 'unheard'}>
      <th scope="row">
        <span class="live">
          {isRevoked ? <Unknown /> : heard ? <Live /> : <Lost />}
          {gateway.name}
        </span>
        <small>
          <Told text={gateway.sentence} words={gateway.words} />
        </small>
        <span class="buttons">
          {gateway.projects.map((id) => (
            <button key={id} type="button" onClick={() => props.onOpen(id)}>
              {t('Open {name}', { name: props.projectName(id) })}
            </button>
          ))}
        </span>
      </th>
      <td data-label={t('Last heard')}>
        {at === null
          ? t('Never')
          : `${heard ? '' : `${localTime(at)}, `}${t('{age} ago', { age: duration(now - Date.parse(at)) })}`}
      </td>
      <td data-label={t('Health then')}>
        <HealthText problems={gateway.problems} />
      </td>
      <td data-label={t('Waits')}>
        {backlog(gateway)}
        <FilesOfSite gateway={gateway} now={now} />
      </td>
      <td data-label={t('Version')}>{gateway.version ?? t('Not known')}</td>
      <td data-label="">
        <div class="actions">
          {may(session, 'sync_enrolments_create') && (
            <Replace session={session} gateway={gateway} onMade={props.onMade} />
          )}
          {!isRevoked && may(session, 'sync_enrolments_revoke') && (
            <Revoke session={session} gateway={gateway} onDone={props.onDone} />
          )}
        </div>
      </td>
    </tr>
  );
}

/** The sites without a connection first, because they need a look; then by name. */
const inOrder = (gateways: readonly SyncGateway[]): SyncGateway[] =>
  [...gateways].sort(
    (a, b) =>
      Number(a.state === 'revoked') - Number(b.state === 'revoked') ||
      Number(a.connected) - Number(b.connected) ||
      a.name.localeCompare(b.name),
  );

export function Fleet(props: {
  session: NodeSession;
  status: Polled<SyncStatus | null>;
  projectName(id: string): string;
  onOpen(project_id: string): void;
}) {
  const { session, status } = props;
  const [made, setMade] = useState<Made | null>(null);
  const now = useNow(session.now);
  const isAdmin = may(session, 'sync_enrolments_list');
  const list = usePolled(
    (signal) =>
      isAdmin
        ? session.client.call('sync_enrolments_list', { limit: SHOWN }, { signal })
        : Promise.resolve({ data: [] as Enrolment[], has_more: false }),
    made === null ? 30_000 : 2_000,
    [session, made],
  );
  const enrolments = list.data?.data ?? [];
  const gateways = status.data?.gateways ?? [];
  const reload = () => {
    status.reload();
    list.reload();
  };
  return (
    <>
      <h1>{t('Sites')}</h1>
      <Problem text={status.problem ?? list.problem} />
      {status.data !== null && gateways.length > 0 && (
        <p role="status">
          <Told text={status.data.sentence} words={status.data.words} />
        </p>
      )}
      {made !== null && <CodeCard made={made} enrolments={enrolments} onClose={() => setMade(null)} />}
      {status.data !== null && gateways.length === 0 && made === null && (
        <Empty title={t('No site is connected yet')}>
          {isAdmin
            ? t('Make a code for the first site below, and type it at the site.')
            : t('An owner or admin of head office connects the sites.')}
        </Empty>
      )}
      {gateways.length > 0 && (
        <div class="table stacks fleet">
          <table>
            <thead>
              <tr>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col">
                    {t(name)}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {inOrder(gateways).map((gateway) => (
                <SiteRow
                  key={gateway.enrolment_id}
                  session={session}
                  gateway={gateway}
                  now={now}
                  projectName={props.projectName}
                  onOpen={props.onOpen}
                  onDone={reload}
                  onMade={setMade}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Boxes session={session} gateways={gateways} now={now} onDone={reload} />
      <TruncationNote shown={enrolments.length} more={list.data?.has_more ?? false} what={t('codes')} />
      {isAdmin && <OpenCodes session={session} enrolments={enrolments} onDone={list.reload} />}
      {gateways.length > 0 && may(session, 'sync_courier') && <CourierBox session={session} gateways={gateways} />}
      {may(session, 'sync_enrolments_create') && <AddSite session={session} onMade={setMade} />}
      <p class="aside">
        {t(
          'Head office has no way to a machine: keys, configuration, firmware, bus requests and arming are only at the site itself, so a stranger in head office can move nothing.',
        )}
      </p>
    </>
  );
}
