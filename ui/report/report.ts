/** Reads what the page shows, and sends the report of a person. The tab keeps the report until the gateway has stored it. */
import { useState } from 'preact/hooks';
import { t, translated } from '#ui/languages/texts.ts';

/** What the gateway returns for a valid token. */
export interface FaultPage {
  readonly unit_number: string;
  readonly name: string;
  /** The language of the site. */
  readonly language: string;
  readonly problems: readonly { readonly id: string; readonly label: string }[];
}

/** The answer to a report. */
export interface Sent {
  readonly ticket_number: string;
  readonly joined: boolean;
}

/** A report that a person fills in. */
export interface Report {
  /** The id of the report: if the answer is lost, a repeated request stores the report only once. */
  readonly key: string;
  readonly problem: string;
  readonly text: string;
  readonly reporter: string;
}

const TIMEOUT_MS = 20_000;

/** Returns a random id. It uses `getRandomValues`, because browsers offer `crypto.randomUUID` only on HTTPS pages. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Sends a request to the gateway. Throws an error with a text for the person. */
async function ask<T>(token: string, init: RequestInit): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`/api/v1/fault-reports/${encodeURIComponent(token)}`, { ...init, signal: stop.signal });
    body = await response.json();
  } catch {
    throw new Error(
      t('The gateway does not answer. Stay in the wireless network of the site and try again. Your text is kept here.'),
    );
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return body as T;
  const { error } = body as { readonly error?: { readonly message?: string; readonly code?: string } };
  // A token that is too short to be one is refused as a parameter. For the person it is the same fault.
  if (response.status === 400 && init.method === undefined)
    throw new Error(t('This address is not complete. Scan the QR code on the machine again.'));
  throw new Error(translated(error?.message ?? t('An unknown error occurred. Try again.')));
}

/** Reads the machine of a token, and the problems to choose from. */
export function readPage(token: string): Promise<FaultPage> {
  return ask(token, {});
}

/** Sends a report. */
export function sendReport(token: string, { key, problem, text, reporter }: Report): Promise<Sent> {
  const headers = { 'content-type': 'application/json' };
  return ask(token, { method: 'POST', headers, body: JSON.stringify({ problem, text, reporter, report_id: key }) });
}

const STORE = 'headframe.report';

function stored(token: string): Report | null {
  try {
    const read = JSON.parse(sessionStorage.getItem(STORE) ?? 'null') as (Report & { token: string }) | null;
    return read?.token === token ? read : null;
  } catch {
    return null;
  }
}

/** Returns the report that a person fills in. `renew` begins the next one and keeps only the name. */
export function useReport(token: string) {
  const [report, setReport] = useState<Report>(
    () => stored(token) ?? { key: newKey(), problem: '', text: '', reporter: '' },
  );
  const set = (next: Report) => {
    setReport(next);
    try {
      sessionStorage.setItem(STORE, JSON.stringify({ ...next, token }));
    } catch {
      // The storage is full or disabled. The text then exists in the page only, and a reload loses it.
    }
  };
  return {
    report,
    change: (part: Partial<Report>) => set({ ...report, ...part }),
    renew: () => set({ key: newKey(), problem: '', text: '', reporter: report.reporter }),
  };
}
