/** The page of head office about its sites: which are connected, what waits, and the code with which a further site connects. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import type { SyncStatus } from '#contract/site/sync.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { duration } from '#ui/format.ts';
import { Choice, Copy, Empty, Field, Form, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import { may, type NodeSession } from '#ui/office/base/session.ts';
import { type Polled, useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { Live, Lost, Unknown } from '#ui/tiles/marks.tsx';
import { Boxes } from './boxes.tsx';
import { CourierBox } from './courier.tsx';
import { pausedWords, waitingFiles } from './files.tsx';
import { sizeText } from './sync-words.ts';

type Made = Output<'sync_enrolments_create'>;
type Enrolment = Made['enrolment'];

const SHOWN = 200;

const VALID = [
  ['24', '1 day'],
  ['72', '3 days'],
  ['168', '1 week'],
  ['744', '1 month, for a box that travels'],
] as const;

/** Formats a time by the clock of this browser, because head office has no time zone of its own. */
const localTime = (at: string): string =>
  new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** What a person does at the site with a new code. The card says when the site is connected. */
function CodeCard(props: { made: Made; enrolments: readonly Enrolment[]; onClose(): void }) {
  const { enrolment, code } = props.made;
  const now = props.enrolments.find(({ id }) => id === enrolment.id);
  const isNear = location.protocol === 'http:';
  const isNew = enrolment.gateway_id === null;
  const title = isNew ? `Connect ${enrolment.name}` : `Replace the box of ${enrolment.name}`;
  return (
    <section class="panel-box" aria-label={title}>
      <h2>{title}</h2>
      {now?.state === 'enrolled' ? (
        <p class="arrived" role="status">
          {isNew
            ? `${enrolment.name} is connected. Its machines and boards appear here as they arrive.`
            : `The new box has the place of the old one, which head office refuses from now on. It gets the data of ${enrolment.name} back. Its page Head office says how far it is, and what did not come back.`}
        </p>
      ) : (
        <>
          <ol class="to-do">
            {isNew ? (
              <li>
                At the site, sign in as owner or admin and open the page <b>Head office</b>.
              </li>
            ) : (
              <li>
                Start Headframe on the new box with an empty data folder, and claim it. Where it asks to create a site,
                select <b>This box replaces one that broke</b>.
              </li>
            )}
            <li>
              Type the address of this head office. <Copy label="Address" text={location.origin} />
            </li>
            <li>
              Type the code. It is valid once, until {localTime(enrolment.code_expires_at)}, and shown only now.
              <Copy label="Code" text={code} />
            </li>
          </ol>
          {isNear && (
            <p class="aside">
              You opened this page without https. A site takes such an address only within its own network. For sites
              elsewhere, give head office a name and a certificate, and open this page there.
            </p>
          )}
          <p role="status">This page waits for the site and says when it is connected.</p>
        </>
      )}
      <button type="button" onClick={props.onClose}>
        Done
      </button>
    </section>
  );
}

function AddSite({ session, onMade }: { session: NodeSession; onMade(made: Made): void }) {
  const [name, setName] = useState('');
  const [hours, setHours] = useState('72');
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box" aria-label="Add a site">
      <h2>Add a site</h2>
      <Form
        action="Make a code"
        busy={busy}
        onSend={() =>
          send(async () => {
            onMade(await session.client.call('sync_enrolments_create', { name: name.trim(), hours: Number(hours) }));
            setName('');
          })
        }
      >
        <Field label="Name of the site" value={name} onValue={setName} required hint="Such as Quarry North." />
        <Choice label="The code is valid for" value={hours} options={VALID} onValue={setHours} />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

function HealthText({ problems }: Pick<SyncGateway, 'problems'>) {
  if (problems === null) return <>Not known</>;
  return <>{problems === 0 ? 'No problem' : `${problems} ${problems === 1 ? 'problem' : 'problems'}`}</>;
}

const backlog = ({ waiting, waiting_here }: SyncGateway): string =>
  [
    waiting === null || waiting === 0 ? '' : `${waiting.toLocaleString('en')} at the site`,
    waiting_here === 0 ? '' : `${waiting_here >= 1_000 ? 'at least 1,000' : waiting_here} here`,
  ]
    .filter((text) => text !== '')
    .join(', ') || 'Nothing';

/** Photos and logs of a site, as it last told. */
function FilesOfSite({ gateway: { files, connected }, now }: { gateway: SyncGateway; now: number }) {
  if (files === null || files.waiting === 0) return null;
  const why = pausedWords(files, now, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { current } = files;
  return (
    <div class="file-moves">
      <small>
        {waitingFiles(files)} {connected ? 'still to move' : 'to move at the last contact'}. {why}
      </small>
      {connected && current !== null && (
        <>
          <progress
            aria-label={`${current.name ?? 'File'} has arrived so far`}
            max={Math.max(1, current.bytes)}
            value={current.done}
          />
          <small>
            {current.name ?? 'A file'}: {sizeText(current.done)} of {sizeText(current.bytes)}
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
        Replace the box<span class="hidden"> of {gateway.name}</span>
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
        {asking ? `Revoke ${gateway.name} now` : 'Revoke'}
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
        <small>{gateway.sentence}</small>
        <span class="buttons">
          {gateway.projects.map((id) => (
            <button key={id} type="button" onClick={() => props.onOpen(id)}>
              Open {props.projectName(id)}
            </button>
          ))}
        </span>
      </th>
      <td data-label="Last heard">
        {at === null
          ? 'Never'
          : heard
            ? `${duration(now - Date.parse(at))} ago`
            : `${localTime(at)}, ${duration(now - Date.parse(at))} ago`}
      </td>
      <td data-label="Health then">
        <HealthText problems={gateway.problems} />
      </td>
      <td data-label="Waits">
        {backlog(gateway)}
        <FilesOfSite gateway={gateway} now={now} />
      </td>
      <td data-label="Version">{gateway.version ?? 'Not known'}</td>
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

const CODE_STATES: Readonly<Record<Enrolment['state'], string>> = {
  waiting: 'Not used yet',
  enrolled: 'Connected',
  expired: 'Expired',
  replaced: 'Replaced by a newer one',
  revoked: 'Revoked',
};

/** The codes that no site has used. */
function OpenCodes(props: { session: NodeSession; enrolments: readonly Enrolment[]; onDone(): void }) {
  const open = props.enrolments.filter(({ state }) => state === 'waiting' || state === 'expired');
  const { busy, problem, send } = useSend();
  if (open.length === 0) return null;
  return (
    <section class="panel-box" aria-label="Codes that wait">
      <h2>Codes that wait</h2>
      <Problem text={problem} />
      <ul class="receipts">
        {open.map(({ id, name, state, code_expires_at, gateway_id }) => (
          <li key={id}>
            <b>{name}</b> {CODE_STATES[state]}
            {gateway_id !== null && ', for a box that replaces the one of this site'}
            {state === 'waiting' && `, valid until ${localTime(code_expires_at)}`}{' '}
            {state === 'waiting' && (
              <button
                type="button"
                disabled={busy}
                onClick={() =>
                  send(async () => {
                    await props.session.client.call('sync_enrolments_revoke', { id });
                    props.onDone();
                  })
                }
              >
                Withdraw<span class="hidden"> the code for {name}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

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
      <h1>Sites</h1>
      <Problem text={status.problem ?? list.problem} />
      {status.data !== null && gateways.length > 0 && <p role="status">{status.data.sentence}</p>}
      {made !== null && <CodeCard made={made} enrolments={enrolments} onClose={() => setMade(null)} />}
      {status.data !== null && gateways.length === 0 && made === null && (
        <Empty title="No site is connected yet">
          {isAdmin
            ? 'Make a code for the first site below, and type it at the site.'
            : 'An owner or admin of head office connects the sites.'}
        </Empty>
      )}
      {gateways.length > 0 && (
        <div class="table stacks fleet">
          <table>
            <thead>
              <tr>
                {['Site', 'Last heard', 'Health then', 'Waits', 'Version'].map((name) => (
                  <th key={name} scope="col">
                    {name}
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
      <TruncationNote shown={enrolments.length} more={list.data?.has_more ?? false} what="enrolments" />
      {isAdmin && <OpenCodes session={session} enrolments={enrolments} onDone={list.reload} />}
      {gateways.length > 0 && may(session, 'sync_courier') && <CourierBox session={session} gateways={gateways} />}
      {may(session, 'sync_enrolments_create') && <AddSite session={session} onMade={setMade} />}
      <p class="aside">
        Head office has no way to a machine: keys, configuration, firmware, bus requests and arming are only at the site
        itself, so a stranger in head office can move nothing.
      </p>
    </>
  );
}
