/** Who this browser is: the key, the project, and the gateway's clock. Works over plain HTTP. */
import { type Client, ClientError, createClient } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { forgetKept } from './kept.ts';

export type Project = Output<'projects_get'>;

/** What every page of the office is given. */
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

/** The key kept in this browser; null when there is none. */
export function keptKey(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

/** Keeps the key for this tab, or for this browser when a person wants that. */
export function keepKey(key: string, forGood: boolean): void {
  sessionStorage.setItem(KEY, key);
  if (forGood) localStorage.setItem(KEY, key);
}

/** Forgets the key everywhere. */
export function forgetKey(): void {
  forgetKept();
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

/** Remembers which project was looked at. */
export function keepProject(id: string): void {
  localStorage.setItem(PROJECT, id);
}

/** The client without a key: claim, pairing, and asking whether somebody owns this gateway. */
export const openClient = createClient({ base_url: '' });

/** Where a visitor stands: unclaimed gateway, no usable key, no project yet, or in. */
export type Entry =
  | { readonly at: 'claim' }
  | { readonly at: 'key'; readonly refused: boolean }
  | { readonly at: 'project'; readonly client: Client }
  | { readonly at: 'in'; readonly session: Session };

/** Finds out where a visitor stands; throws ClientError when the gateway cannot be reached. */
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

/** A key under which the same form sent twice is done once; made without secure-context functions. */
export function onceKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What to tell a person about a failed call. */
export function sayError(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}
