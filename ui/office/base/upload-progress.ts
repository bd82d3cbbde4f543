/** A client that reports the progress of its uploads. */
import { type Client, createClient } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import type { Session } from './session.ts';

/** Implements the part of `fetch` that the client uses. It uses XMLHttpRequest, because `fetch` cannot report the progress of an upload. */
function fetchWithProgress(onSent: (share: number) => void): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init?.method ?? 'GET', String(input));
      for (const [name, value] of new Headers(init?.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 1);
      request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
      request.onerror = () => reject(new TypeError(t('The gateway did not answer.')));
      request.onabort = () => reject(init?.signal?.reason ?? new TypeError(t('The request was canceled.')));
      init?.signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(String(init?.body ?? ''));
    });
}

/** Creates a client of the session that calls `onSent` with the share of each request body that is sent, from 0 to 1. */
export function progressClient({ who, project }: Session, onSent: (share: number) => void): Client {
  return createClient({ ...who, project_id: project.id, fetch: fetchWithProgress(onSent) });
}
