/** The session of this browser: who is signed in, the project and the gateway's clock. */
import { type Client, ClientError, type ClientOptions, createClient } from '#contract/client.ts';
import type { OperationName, Output } from '#contract/operations.ts';
import { permits, refusedField } from '#contract/permissions.ts';
import { isServedBy, type NodeRole } from '#contract/served.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { clearTabState, setTabStateAside, takeTabStateBack } from './tab-state.ts';

export type Project = Output<'projects_get'>;

/** Who is signed in: a user, or a key that a person pasted. */
export type Me = Output<'session_get'>;

/** The session that each office page receives: the person, project, client and clock. */
export interface Session {
  readonly me: Me;
  /** `cloud`: this is head office, where operations that reach a machine are absent. */
  readonly role: NodeRole;
  /** How requests identify the person: by the key that the person pasted, or by the cookie of the session. */
  readonly who: Pick<ClientOptions, 'base_url' | 'key' | 'page'>;
  readonly client: Client;
  readonly project: Project;
  readonly projects: readonly Project[];
  /** Returns the time by the gateway's clock, in milliseconds since 1970. */
  now(): number;
}

const KEY = 'headframe.key';
const PROJECT = 'headframe.project';
/** Set in a browser that was enrolled as a shared tablet. Scripts cannot read the cookie of the tablet. */
const TABLET = 'headframe.tablet';

/** What a shared tablet shows while nobody is signed in. */
export type TabletScreen = Output<'tablet_get'>;

/** Remembers that this browser is a shared tablet. */
export function markTablet(): void {
  localStorage.setItem(TABLET, '1');
}

/** Forgets that this browser is a shared tablet. */
export function unmarkTablet(): void {
  localStorage.removeItem(TABLET);
}

/** Returns the API key that is stored in this tab. If the tab has no key, returns the key that is stored in this browser, or null. */
export function storedKey(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

/** Stores the API key for this tab. If `forGood` is true, also stores it for this browser, so that the person stays signed in. */
export function storeKey(key: string, forGood: boolean): void {
  sessionStorage.setItem(KEY, key);
  if (forGood) localStorage.setItem(KEY, key);
}

/** Removes a stored API key, so that the cookie of a session counts. */
export function dropKey(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

/** Stores the project to open next time. */
export function storeProject(id: string): void {
  localStorage.setItem(PROJECT, id);
}

/** A client for the pages of `enter.tsx`: claim, sign in, invitation, first site. The cookie of the session identifies the person, if there is one. */
export const pageClient = createClient({ base_url: '', page: true });

/** The first page to show: claim the gateway, sign in, accept an invitation, enrol or use a tablet, create a project, or the office. */
export type Entry =
  /** `code` is the claim code that the desktop app put into the address; otherwise empty. */
  | { readonly at: 'claim'; readonly isBack: boolean; readonly code: string }
  | { readonly at: 'invite'; readonly token: string }
  | { readonly at: 'enrol'; readonly token: string }
  | { readonly at: 'tablet'; readonly screen: TabletScreen }
  | { readonly at: 'tablet-gone'; readonly why: string }
  | { readonly at: 'sign-in'; readonly how: 'passphrase' | 'key'; readonly refused: boolean }
  | { readonly at: 'project'; readonly client: Client }
  /** Head office to which no site has brought a project yet. */
  | { readonly at: 'no-sites'; readonly office: NodeSession }
  | { readonly at: 'in'; readonly session: Session };

/** What pages need that are about the whole node and not about a project. */
export type NodeSession = Pick<Session, 'me' | 'role' | 'client' | 'now'>;

/** Returns true if the role and the scopes of the person allow the operation, and this node serves it. */
export function may({ me, role }: Pick<Session, 'me' | 'role'>, name: OperationName): boolean {
  return permits(me, name) && isServedBy(role, name);
}

/** Returns true if the person may call the operation with this value of a field. */
export function maySet(
  session: Pick<Session, 'me' | 'role'>,
  name: OperationName,
  field: string,
  value: unknown,
): boolean {
  return may(session, name) && refusedField(session.me.role, name, { [field]: value }) === undefined;
}

/** Returns the id of the mechanic of this project who the signed-in user is; null if an admin has linked none. */
export function ownMechanic({ me, project }: Pick<Session, 'me' | 'project'>): string | null {
  const person = me.user?.person ?? null;
  return person?.object === 'mechanic' && person.project_id === project.id ? person.id : null;
}

/** Finds the first page to show; throws ClientError when the gateway does not answer. */
export async function enter(key: string | null): Promise<Entry> {
  const [, what, token] = /^#(invite|tablet)=([A-Za-z0-9_-]{20,80})$/.exec(location.hash) ?? [];
  if (token !== undefined) return what === 'tablet' ? { at: 'enrol', token } : { at: 'invite', token };
  const claim = /^#claim(?:=([A-Za-z0-9-]{4,32}))?$/.exec(location.hash);
  if (claim !== null) return { at: 'claim', isBack: claim[1] === undefined, code: claim[1] ?? '' };
  await finishLeaving();
  await useLocalCode();
  const who = { base_url: '', ...(key === null ? { page: true } : { key }) };
  const client = createClient(who);
  try {
    const me = await client.call('session_get', {});
    if (me.tablet !== null) takeTabStateBack(me.user?.id ?? '');
    const { data: projects } = await client.call('projects_list', { limit: 200 });
    const kept = localStorage.getItem(PROJECT);
    const project = projects.find((one) => one.id === kept) ?? projects[0];
    const { now: serverNow, role } = await client.call('health_get', {});
    const offset = Date.parse(serverNow) - Date.now();
    const now = () => Date.now() + offset;
    if (project === undefined)
      return role === 'cloud' ? { at: 'no-sites', office: { me, role, client, now } } : { at: 'project', client };
    const own = createClient({ ...who, project_id: project.id });
    return { at: 'in', session: { me, role, who, client: own, project, projects, now } };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === 'claim_required') return { at: 'claim', isBack: false, code: '' };
    if (error.status !== 401) throw error;
    if (localStorage.getItem(TABLET) !== null && key === null) return enterTablet();
    const how = error.error?.details[0]?.sign_in === 'passphrase' && key === null ? 'passphrase' : 'key';
    return { at: 'sign-in', how, refused: error.code === 'credential_invalid' };
  }
}

/** Signs in with the code that the desktop app has put into the address. If the gateway refuses the code, the sign-in page follows. */
async function useLocalCode(): Promise<void> {
  const code = /^#local=([A-Za-z0-9_-]{20,80})$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  // Removes the code first, so that a reload does not send a used code.
  history.replaceState(null, '', '/');
  dropKey();
  try {
    await pageClient.call('local_sign_in', { code });
  } catch (error) {
    if (!(error instanceof ClientError) || error.error === null) throw error;
  }
}

/** Finds the page of a shared tablet on which nobody is signed in. */
async function enterTablet(): Promise<Entry> {
  try {
    return { at: 'tablet', screen: await pageClient.call('tablet_get', {}) };
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 401) throw error;
    const why =
      error.code === 'tablet_revoked'
        ? errorText(error)
        : t(
            'The gateway does not know this tablet any more: it was enrolled again on another device, or its cookie was deleted.',
          );
    return { at: 'tablet-gone', why };
  }
}

/** Set from the moment when a person signs out until the gateway has ended the session. */
const LEAVING = 'headframe.leaving';

/** Ends the session of a person who has signed out. Throws if the gateway does not answer; the next `enter` then tries again. */
async function finishLeaving(): Promise<void> {
  if (sessionStorage.getItem(LEAVING) === null) return;
  try {
    await pageClient.call('session_end', {});
  } catch (error) {
    // The session has ended already.
    if (!(error instanceof ClientError) || error.status !== 401) throw error;
  }
  sessionStorage.removeItem(LEAVING);
}

/** Ends the session of this browser on the gateway, and removes what the browser stored. */
export async function signOut({ me }: Session): Promise<void> {
  if (me.tablet === null) clearTabState();
  else setTabStateAside();
  dropKey();
  if (me.kind !== 'user') return;
  sessionStorage.setItem(LEAVING, '1');
  await finishLeaving();
}

/** Returns a random Idempotency-Key. It uses `getRandomValues`, because browsers offer `crypto.randomUUID` only on HTTPS pages. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the text to show for a failed call. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return t('An unknown error occurred. Try again.');
  // The outbox writes its reasons in English, and shares them with the page for reports.
  const own = translated(error.message);
  if (own !== error.message) return own;
  return toldOrEnglish(error.message, error instanceof ClientError ? error.error?.words : undefined);
}
