/** Draws each place of the office. The code of a page loads when a person opens it. */
import type { ComponentChildren } from 'preact';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { may, type Project, type Session } from '#ui/office/base/session.ts';
import { addressOf, type Place, placeOf } from './places.ts';

/** The pages on which people write at machines. They load after the first page, so that they open when the gateway is gone. */
const inspectionPages = () => import('#ui/office/care/inspections.tsx');
const outboxPage = () => import('#ui/office/outbox/outbox-page.tsx');
const ticketPages = () => import('#ui/office/work/tickets.tsx');
export const loadWriting = () => void Promise.allSettled([inspectionPages(), outboxPage(), ticketPages()]);

const AccountPage = lazyPage(() => import('#ui/office/access/account.tsx').then((one) => one.AccountPage));
const AgentPage = lazyPage(() => import('#ui/office/agent/agent.tsx').then((one) => one.AgentPage));
const AlertsPage = lazyPage(() => import('#ui/office/work/alerts.tsx').then((one) => one.AlertsPage));
const AllAlertsPage = lazyPage(() => import('#ui/office/sync/all-sites.tsx').then((one) => one.AllAlertsPage));
const AllMachinesPage = lazyPage(() => import('#ui/office/sync/all-sites.tsx').then((one) => one.AllMachinesPage));
const AllRepairsPage = lazyPage(() => import('#ui/office/sync/all-sites.tsx').then((one) => one.AllRepairsPage));
const BusPage = lazyPage(() => import('#ui/office/devices/bus.tsx').then((one) => one.BusPage));
const Connect = lazyPage(() => import('#ui/office/devices/connect.tsx').then((one) => one.Connect));
const DbcPage = lazyPage(() => import('#ui/office/dbc/dbc.tsx').then((one) => one.DbcPage));
const DevicePage = lazyPage(() => import('#ui/office/devices/device.tsx').then((one) => one.DevicePage));
const Devices = lazyPage(() => import('#ui/office/devices/devices.tsx').then((one) => one.Devices));
const EncryptionPage = lazyPage(() => import('#ui/office/access/encryption.tsx').then((one) => one.EncryptionPage));
const HeadOfficePage = lazyPage(() => import('#ui/office/sync/head-office.tsx').then((one) => one.HeadOfficePage));
const ConflictsPage = lazyPage(() => import('#ui/office/sync/conflicts.tsx').then((one) => one.ConflictsPage));
const HealthPage = lazyPage(() => import('#ui/office/site/health.tsx').then((one) => one.HealthPage));
const InspectionsPage = lazyPage(() => inspectionPages().then((one) => one.InspectionsPage));
const KeysPage = lazyPage(() => import('#ui/office/access/keys.tsx').then((one) => one.KeysPage));
const MachinePage = lazyPage(() => import('#ui/office/machines/machines.tsx').then((one) => one.MachinePage));
const Machines = lazyPage(() => import('#ui/office/machines/machines.tsx').then((one) => one.Machines));
const MaintenancePage = lazyPage(() => import('#ui/office/care/maintenance.tsx').then((one) => one.MaintenancePage));
const MapPage = lazyPage(() => import('#ui/office/map/map.tsx').then((one) => one.MapPage));
const Now = lazyPage(() => import('#ui/office/machines/now.tsx').then((one) => one.Now));
const OutboxPage = lazyPage(() => outboxPage().then((one) => one.OutboxPage));
const People = lazyPage(() => import('#ui/office/people/people.tsx').then((one) => one.People));
const RulesPage = lazyPage(() => import('#ui/office/rules/rules.tsx').then((one) => one.RulesPage));
const Screens = lazyPage(() => import('#ui/office/screens/screens.tsx').then((one) => one.Screens));
const SetupPage = lazyPage(() => import('#ui/office/setup/setup.tsx').then((one) => one.SetupPage));
const ShiftsPage = lazyPage(() => import('#ui/office/shifts/shifts.tsx').then((one) => one.ShiftsPage));
const SitePage = lazyPage(() => import('#ui/office/site/site.tsx').then((one) => one.SitePage));
const TabletsPage = lazyPage(() => import('#ui/office/access/tablets.tsx').then((one) => one.TabletsPage));
const TicketsPage = lazyPage(() => ticketPages().then((one) => one.TicketsPage));
const UsersPage = lazyPage(() => import('#ui/office/access/users.tsx').then((one) => one.UsersPage));

/** What the drawing of a page needs. */
export interface Shown {
  readonly session: Session;
  /** The address of the page, without the `#`. */
  readonly page: string;
  /** The part of the address after the name of the page. */
  readonly at: string;
  readonly code: string;
  onSaved(project: Project): void;
  onProject(): void;
}

type Draw = (shown: Shown) => ComponentChildren;

const agent: Draw = ({ session, at }) => <AgentPage session={session} at={at} />;
const alerts: Draw = ({ session, at }) => <AlertsPage session={session} at={at} />;
const bus: Draw = ({ session, at }) => <BusPage session={session} id={at} />;
const dbc: Draw = ({ session, at }) => <DbcPage session={session} id={at} />;
const inspections: Draw = ({ session, at }) => <InspectionsPage session={session} at={at} />;
const machines: Draw = ({ session, page }) => (
  <Machines
    key={page}
    session={session}
    chosen={page.startsWith('machines/') ? page.slice('machines/'.length) : null}
  />
);
const maintenance: Draw = ({ session, at }) => <MaintenancePage session={session} at={at} />;
const people: Draw = ({ session, at }) => <People session={session} roster={at} />;
const rules: Draw = ({ session, at }) => <RulesPage session={session} at={at.slice('rules/'.length)} />;
const screens: Draw = ({ session, code, at }) => <Screens key={code} session={session} code={code} at={at} />;
const shifts: Draw = ({ session, at }) => <ShiftsPage session={session} at={at} />;
const tickets: Draw = ({ session, at }) => <TicketsPage session={session} at={at} />;

/** How each place is drawn. */
const DRAWN: Readonly<Record<Place, Draw>> = {
  now: ({ session }) => <Now session={session} />,
  machines,
  'machines/:machine': machines,
  'story/:story': ({ session, at }) => <MachinePage key={at} session={session} at={at} />,
  map: ({ session }) => <MapPage session={session} />,
  alerts,
  'alerts/:machine': alerts,
  'alerts/rules': rules,
  'alerts/rules/new': rules,
  'alerts/rules/:rule': rules,
  tickets,
  'tickets/machine/:machine': tickets,
  'tickets/new': tickets,
  'tickets/new/:from': tickets,
  'tickets/:ticket': tickets,
  shifts,
  'shifts/:report': shifts,
  inspections,
  'inspections/new/:machine': inspections,
  'inspections/:inspection': inspections,
  maintenance,
  'maintenance/:machine': maintenance,
  people,
  'people/:roster': people,
  devices: ({ session }) => <Devices session={session} />,
  'devices/:device': ({ session, at }) => <DevicePage session={session} id={at} />,
  bus,
  'bus/:device': bus,
  dbc,
  'dbc/:file': dbc,
  screens,
  'screens/new': screens,
  'screens/boards/:board': screens,
  'screens/playlists/:playlist': screens,
  site: ({ session, onSaved }) => <SitePage session={session} onSaved={onSaved} />,
  setup: (shown) =>
    may(shown.session, 'projects_setup_apply') ? <SetupPage session={shown.session} /> : machines(shown),
  agent,
  'agent/:task': agent,
  'head-office': ({ session, onProject }) => <HeadOfficePage session={session} onProject={onProject} />,
  'all-machines': ({ session, onProject }) => <AllMachinesPage session={session} onProject={onProject} />,
  'all-repairs': ({ session, onProject }) => <AllRepairsPage session={session} onProject={onProject} />,
  'all-alerts': ({ session, onProject }) => <AllAlertsPage session={session} onProject={onProject} />,
  conflicts: ({ session }) => <ConflictsPage session={session} />,
  health: ({ session }) => <HealthPage session={session} />,
  encryption: ({ session }) => <EncryptionPage session={session} />,
  users: ({ session }) => <UsersPage session={session} />,
  tablets: ({ session }) => <TabletsPage session={session} />,
  keys: ({ session }) => <KeysPage session={session} />,
  connect: ({ session }) => <Connect session={session} />,
  account: ({ session }) => <AccountPage session={session} />,
  outbox: ({ session }) => <OutboxPage session={session} />,
};

const ALL = Object.keys(DRAWN) as Place[];

/** Returns the address that opens ([U361]). */
export const openedBy = (asked: string): string => addressOf(asked, ALL);

/** Draws the place that has this address. */
export const drawPage: Draw = (shown) => DRAWN[placeOf(shown.page, ALL) ?? 'machines'](shown);
