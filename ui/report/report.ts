/**
 * Reads what the page shows, and sends the report of a person through the outbox of the phone. The phone keeps the page of each machine
 * that it has opened, so that the form opens again without the gateway.
 */
import { useEffect, useState } from 'preact/hooks';
import { t, translated } from '#ui/languages/texts.ts';
import { newId } from '#ui/outbox/drafts.ts';
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
  readonly reporter: string;
}

const TIMEOUT_MS = 20_000;

let opened: Promise<Outbox> | undefined;
/** Opens the outbox. This page sends only reports, which need no account. */
const outbox = (): Promise<Outbox> => {
  opened ??= openOutbox(() => null);
  return opened;
};

const pathOf = (token: string): string => `/api/v1/fault-reports/${encodeURIComponent(token)}`;
const noteOf = (token: string): string => `report ${token}`;

/** The gateway has answered, and said no. */
class Refused extends Error {}

async function ask(token: string): Promise<FaultPage> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(pathOf(token), { signal: stop.signal });
    body = await response.json();
  } catch {
    throw new Error(t('The gateway does not answer. Stay in the wireless network of the site and try again.'));
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return body as FaultPage;
  const { error } = body as { readonly error?: { readonly message?: string } };
  // A token that is too short to be one is refused as a parameter. For the person it is the same fault.
  if (response.status === 400)
    throw new Refused(t('This address is not complete. Scan the QR code on the machine again.'));
  throw new Refused(translated(error?.message ?? t('An unknown error occurred. Try again.')));
}

/** Reads the machine of a token, and the problems to choose from. Without the gateway: as the phone saw them last. */
export async function readPage(token: string): Promise<FaultPage> {
  try {
    const page = await ask(token);
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

/** Stores a report on this phone and begins to send it. Throws if the phone cannot store it. */
export async function sendReport(token: string, page: FaultPage, report: Report): Promise<void> {
  const { key, problem, text, reporter } = report;
  const label = page.problems.find(({ id }) => id === problem)?.label ?? problem;
  const box = await outbox();
  await box.write({
    id: key,
    subject: `report ${token}`,
    title: `${page.unit_number}: ${translated(label)}`,
    who: reporter,
    project: null,
    pass: null,
    request: {
      method: 'POST',
      path: pathOf(token),
      body: { problem, text, reporter, report_id: key, pass: page.pass },
      if_match: null,
      open: true,
    },
  });
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
    () => stored(token) ?? { key: newId(), problem: '', text: '', reporter: '' },
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
    renew: () => set({ key: newId(), problem: '', text: '', reporter: report.reporter }),
  };
}
