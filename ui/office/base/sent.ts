/** A client whose calls tell how much of them is sent: for files over a slow link. */
import { type Client, createClient } from '#contract/client.ts';
import type { Session } from './session.ts';

/** `fetch` as far as the client needs it, over what tells its progress. */
function fetchTelling(onSent: (share: number) => void): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init?.method ?? 'GET', String(input));
      for (const [name, value] of new Headers(init?.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 1);
      request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
      request.onerror = () => reject(new TypeError('no answer'));
      request.onabort = () => reject(init?.signal?.reason ?? new TypeError('given up'));
      init?.signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(String(init?.body ?? ''));
    });
}

/** The session's client, telling from 0 to 1 how much of each call is on its way. */
export function tellingClient({ key, project }: Session, onSent: (share: number) => void): Client {
  return createClient({ base_url: '', key, project_id: project.id, fetch: fetchTelling(onSent) });
}
