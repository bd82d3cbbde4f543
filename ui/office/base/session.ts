/** The session of this browser: key, project and the gateway's clock. Works over plain HTTP. */
import { type Client, ClientError, createClient } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { clearTabState } from './tab-state.ts';

export type Project = Output<'projects_get'>;

/** The parameters that every office page receives. */
export interface Session {
  readonly key: string;
  readonly client: Client;
  readonly project: Project;
  readonly projects: readonly Project[];
  /** Milliseconds since 1970 on the gateway. */
  now(): number;
}

const KEY = 'headframe.key';
const PROJECT = 'headframe.project';

/** The key stored in this tab or browser; null when there is none. */
export function storedKey(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

/** Stores the key for this tab, and with `forGood` for this browser. */
export function storeKey(key: string, forGood: boolean): void {
  sessionStorage.setItem(KEY, key);
  if (forGood) localStorage.setItem(KEY, key);
}

/** Removes the key and all unsent form text. */
export function clearKey(): void {
  clearTabState();
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

/** Stores the project to open next time. */
export function storeProject(id: string): void {
  localStorage.setItem(PROJECT, id);
}

/** A client without a key, for claiming the gateway. */
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

/** A random Idempotency-Key. `crypto.randomUUID` is missing on plain-HTTP pages, so this uses `getRandomValues`. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The text to show for a failed call. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : 'An unknown error occurred. Try again.';
}
