/**
 * Reads what the page shows, and sends the report of a person through the outbox of the phone. The phone keeps the page of each machine
 * that it has opened, so that the form opens again without the gateway.
 */
import { useEffect, useState } from 'preact/hooks';
import { t, translated } from '#ui/languages/texts.ts';
import { newId } from '#ui/outbox/drafts.ts';
import { type Item, NotKept } from '#ui/outbox/item.ts';
import { type Outbox, openOutbox, type View } from '#ui/outbox/outbox.ts';

/** What the gateway returns for a valid token. */
export interface FaultPage {
  readonly unit_number: string;
  readonly name: string;
  /** The language of the site. */
  readonly language: string;
  readonly problems: readonly { readonly id: string; readonly label: string }[];
  readonly pass: string;
}

/** A report that a person fills in. */
export interface Report {
  /** The id of the report: the gateway stores a report with this id once. */
  readonly key: string;
  readonly problem: string;
  readonly text: string;
  /** True if the machine cannot work. */
  readonly stopped: boolean;
  readonly reporter: string;
  /** True if this report was sent to the gateway directly. The gateway may have it, although no answer came. */
  readonly tried?: boolean;
}

const TIMEOUT_MS = 20_000;

let opened: Promise<Outbox> | undefined;
/** Opens the outbox. This page sends only reports, which need no account. */
const outbox = (): Promise<Outbox> => {
  opened ??= openOutbox(() => null);
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
};

const pathOf = (token: string): string => `/api/v1/fault-reports/${encodeURIComponent(token)}`;
const noteOf = (token: string): string => `report ${token}`;

/** The gateway has answered, and said no. An overload or a fault of the gateway is not a no. */
class Refused extends Error {}

const NO_ANSWER = 'The gateway does not answer. Stay in the wireless network of the site and try again.';

/** Sends a request, and returns the answer of the gateway. Throws `Refused` if it says no. */
async function ask<T>(token: string, init: RequestInit): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(pathOf(token), { ...init, signal: stop.signal });
    body = await response.json();
  } catch {
    throw new Error(t(NO_ANSWER));
  } finally {
    clearTimeout(timer);
  }
  outbox().then(
    ({ clock }) => clock.heard(response),
    () => undefined,
  );
  if (response.ok) return body as T;
  const { error } = body as { readonly error?: { readonly message?: string } };
  // A token that is too short to be one is refused as a parameter. For the person it is the same fault.
  if (response.status === 400)
    throw new Refused(t('This address is not complete. Scan the QR code on the machine again.'));
  const message = translated(error?.message ?? t('An unknown error occurred. Try again.'));
  const isLater = response.status >= 500 || response.status === 429 || response.status === 408;
  throw isLater ? new Error(message) : new Refused(message);
}

/** Reads the machine of a token, and the problems to choose from. Without the gateway: as the phone saw them last. */
export async function readPage(token: string): Promise<FaultPage> {
  try {
    const page = await ask<FaultPage>(token, {});
    outbox()
      .then((box) => box.setNote(noteOf(token), page))
      .catch(() => undefined);
    return page;
  } catch (error) {
    if (error instanceof Refused) throw error;
    const kept = await outbox()
      .then((box) => box.note<FaultPage>(noteOf(token)))
      .catch(() => undefined);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** What the page shows of a report that is kept or sent. */
export type Shown = Pick<Item, 'state' | 'title' | 'who' | 'device_ms' | 'answer_id' | 'request'>;

/**
 * Stores a report on this phone and begins to send it. If the phone stores nothing, for example in a private window, sends the report
 * directly, after a call of `tried`, and returns what the gateway has. Throws if neither is possible.
 */
export async function sendReport(
  token: string,
  page: FaultPage,
  report: Report,
  tried: () => void,
): Promise<Shown | null> {
  const { key, problem, text, stopped, reporter } = report;
  const label = page.problems.find(({ id }) => id === problem)?.label ?? problem;
  const draft = {
    id: key,
    subject: `report ${token}`,
    title: `${page.unit_number}: ${translated(label)}`,
    who: reporter,
    project: null,
    pass: null,
    request: {
      method: 'POST',
      path: pathOf(token),
      body: { problem, text, stopped, reporter, report_id: key, pass: page.pass },
      if_match: null,
      open: true,
    },
  } as const;
  try {
    await (await outbox()).write(draft);
    return null;
  } catch (error) {
    if (error instanceof NotKept) throw new NotKept(translated(error.message));
  }
  tried();
  const { ticket_number } = await ask<{ readonly ticket_number: string }>(token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(draft.request.body),
  });
  const { title, request } = draft;
  return { state: 'sent', title, who: reporter, device_ms: Date.now(), answer_id: ticket_number, request };
}

/** Deletes a report that the gateway refused. */
export async function dropReport(seq: number): Promise<void> {
  await (await outbox()).drop(seq);
}

/** The reports that this phone keeps. */
export function useReports(): View {
  const [view, setView] = useState<View>({ items: [], line: 'idle' });
  useEffect(() => {
    let stop = (): void => undefined;
    outbox().then(
      (box) => {
        stop = box.watch((all) => setView({ ...all, items: all.items.filter(({ request }) => request.open) }));
      },
      () => undefined,
    );
    return () => stop();
  }, []);
  return view;
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
    () => stored(token) ?? { key: newId(), problem: '', text: '', stopped: false, reporter: '' },
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
    /** Changes the report. If the gateway may have it as it was, the changed one is a new report: it gets another id. */
    change: (part: Partial<Report>) =>
      set({ ...report, ...part, ...(report.tried === true && { key: newId(), tried: false }) }),
    tried: () => set({ ...report, tried: true }),
    /** Gives the report another id: it is a new report. */
    rename: () => set({ ...report, key: newId() }),
    renew: () => set({ key: newId(), problem: '', text: '', stopped: false, reporter: report.reporter }),
  };
}
