/** The session of this browser: API key, project and the gateway's clock. */
import { type Client, ClientError, createClient } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { clearTabState } from './tab-state.ts';

export type Project = Output<'projects_get'>;

/** The session that each office page receives: API key, project, client and clock. */
export interface Session {
  readonly key: string;
  readonly client: Client;
  readonly project: Project;
  readonly projects: readonly Project[];
  /** Returns the time by the gateway's clock, in milliseconds since 1970. */
  now(): number;
}

const KEY = 'headframe.key';
const PROJECT = 'headframe.project';

/** Returns the API key that is stored in this tab. If the tab has no key, returns the key that is stored in this browser, or null. */
export function storedKey(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

/** Stores the API key for this tab. If `forGood` is true, also stores it for this browser, so that the person stays signed in. */
export function storeKey(key: string, forGood: boolean): void {
  sessionStorage.setItem(KEY, key);
  if (forGood) localStorage.setItem(KEY, key);
}

/** Removes the stored API key and all unsent form text, when a person signs out. */
export function clearKey(): void {
  clearTabState();
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

/** Stores the project to open next time. */
export function storeProject(id: string): void {
  localStorage.setItem(PROJECT, id);
}

/** A client without an API key. A new gateway can be claimed without a key. */
export const anonymousClient = createClient({ base_url: '' });

/** The first page to show: claim the gateway, enter a key, create a project, or the office. */
export type Entry =
  | { readonly at: 'claim' }
  | { readonly at: 'key'; readonly refused: boolean }
  | { readonly at: 'project'; readonly client: Client }
  | { readonly at: 'in'; readonly session: Session };

/** Finds the first page to show; throws ClientError when the gateway does not answer. */
export async function enter(key: string | null): Promise<Entry> {
  const client = createClient({ base_url: '', key });
  try {
    const { data: projects } = await client.call('projects_list', { limit: 200 });
    if (key === null) return { at: 'key', refused: false };
    const kept = localStorage.getItem(PROJECT);
    const project = projects.find((one) => one.id === kept) ?? projects[0];
    if (project === undefined) return { at: 'project', client };
    const health = await client.call('health_get', {});
    const offset = Date.parse(health.now) - Date.now();
    const own = createClient({ base_url: '', key, project_id: project.id });
    return { at: 'in', session: { key, client: own, project, projects, now: () => Date.now() + offset } };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === 'claim_required') return { at: 'claim' };
    if (error.status === 401) return { at: 'key', refused: key !== null };
    throw error;
  }
}

/** Returns a random Idempotency-Key. It uses `getRandomValues`, because browsers offer `crypto.randomUUID` only on HTTPS pages. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the text to show for a failed call. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : 'An unknown error occurred. Try again.';
}
