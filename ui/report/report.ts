/**
 * Reads what the page shows, and sends checks, reports and photos through the outbox of the phone. The phone keeps the page of each machine
 * that it has opened, so that the page opens again without the gateway.
 */
import { useEffect, useState } from 'preact/hooks';
import { t, translated } from '#ui/languages/texts.ts';
import { base64 } from '#ui/outbox/base64.ts';
import { type Draft, newId } from '#ui/outbox/drafts.ts';
import { type Item, NotKept } from '#ui/outbox/item.ts';
import { type Outbox, openOutbox, type View } from '#ui/outbox/outbox.ts';

/** What the gateway returns for a valid token. */
export interface FaultPage {
  readonly unit_number: string;
  readonly name: string;
  /** The name of the site. A page that an earlier version kept does not have it. */
  readonly site?: string;
  /** The language of the site. */
  readonly language: string;
  readonly problems: readonly { readonly id: string; readonly label: string }[];
  readonly pass: string;
}

/** A photo of a report, made small. */
export interface Photo {
  readonly id: string;
  readonly bytes: ArrayBuffer;
  /** Address of the picture in this page. */
  readonly url: string;
}

/** A report that a person fills in. */
export interface Report {
  /** The id of the report: the gateway stores a report with this id once. */
  readonly key: string;
  readonly problem: string;
  readonly text: string;
  /** True if the machine cannot keep working; null if the person has not said it yet. */
  readonly stopped: boolean | null;
  /** True if this report was sent to the gateway directly. The gateway may have it, although no answer came. */
  readonly tried?: boolean;
}

/** Largest number of photos of one report. The gateway has the same limit. */
export const MOST_PHOTOS = 3;

const TIMEOUT_MS = 20_000;
/** A photo may take this long on a slow link. */
const PHOTO_TIMEOUT_MS = 240_000;

let opened: Promise<Outbox> | undefined;
/** Opens the outbox. This page sends only what needs no account. */
const outbox = (): Promise<Outbox> => {
  opened ??= openOutbox(() => null);
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
};

const pathOf = (token: string): string => `/api/v1/fault-reports/${encodeURIComponent(token)}`;
const noteOf = (token: string): string => `report ${token}`;

/** What a write of the outbox is. */
export type Kind = 'report' | 'check' | 'photo';
export const kindOf = ({ photo_bytes, request: { path } }: Pick<Item, 'photo_bytes' | 'request'>): Kind => {
  if (photo_bytes > 0) return 'photo';
  return path.endsWith('/checks') ? 'check' : 'report';
};

/** The gateway has answered, and said no. An overload or a fault of the gateway is not a no. */
class Refused extends Error {}

const NO_ANSWER = 'The gateway does not answer. Stay in the wireless network of the site and try again.';

/** Sends a request, and returns the answer of the gateway. Throws `Refused` if it says no. */
async function ask<T>(path: string, init: RequestInit, lasts_ms = TIMEOUT_MS): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), lasts_ms);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, { ...init, signal: stop.signal });
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
  if (response.status === 400 && init.method === undefined)
    throw new Refused(t('This address is not complete. Scan the QR code on the machine again.'));
  const message = translated(error?.message ?? t('An unknown error occurred. Try again.'));
  const isLater = response.status >= 500 || response.status === 429 || response.status === 408;
  throw isLater ? new Error(message) : new Refused(message);
}

const post = <T>(path: string, body: object, lasts_ms?: number): Promise<T> =>
  ask<T>(
    path,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    lasts_ms,
  );

/** Reads the machine of a token, and the problems to choose from. Without the gateway: as the phone saw them last. */
export async function readPage(token: string): Promise<FaultPage> {
  try {
    const page = await ask<FaultPage>(pathOf(token), {});
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

/** What the page shows of a check or a report that is kept or sent. */
export type Shown = Pick<
  Item,
  'id' | 'state' | 'title' | 'who' | 'device_ms' | 'answer_id' | 'request' | 'photo_bytes'
> & {
  /** Number of photos that are lost: they could be neither sent nor kept on the phone. */
  readonly lost: number;
  /** Number of photos that were sent with it directly. Photos in the outbox are counted there. */
  readonly direct: number;
};

/** What the page shows of a write that was stored. */
const kept = (item: Item, lost = 0): Shown => ({ ...item, lost, direct: 0 });

/** Stores a write on this phone. Returns undefined if the phone stores nothing, for example in a private window. */
async function keep(draft: Draft): Promise<Item | undefined> {
  try {
    return await (await outbox()).write(draft);
  } catch (error) {
    if (error instanceof NotKept) throw new NotKept(translated(error.message));
    return undefined;
  }
}

/** A write of this page for the outbox. */
function draftOf(id: string, subject: string, title: string, who: string, path: string, body: object) {
  const request = { method: 'POST', path, body: { ...body, reporter: who }, if_match: null, open: true } as const;
  return { id, subject, title, who, project: null, pass: null, request } as const;
}

const sentNow = ({ id, title, who, request }: ReturnType<typeof draftOf>, answer_id: string) =>
  ({ id, state: 'sent', title, who, device_ms: Date.now(), answer_id, request, photo_bytes: 0 }) as const;

/** Stores a check ("OK") on this phone and begins to send it, or sends it directly if the phone stores nothing. Throws if neither is possible. */
export async function sendCheck(token: string, page: FaultPage, key: string, reporter: string): Promise<Shown> {
  const path = `${pathOf(token)}/checks`;
  const body = { report_id: key, pass: page.pass };
  const draft = draftOf(key, `check ${token}`, page.unit_number, reporter, path, body);
  const item = await keep(draft);
  if (item !== undefined) return kept(item);
  const { id } = await post<{ readonly id: string }>(path, draft.request.body);
  return { ...sentNow(draft, id), lost: 0, direct: 0 };
}

/**
 * Stores a report and its photos on this phone and begins to send them. If the phone stores nothing, sends them directly, after a call of
 * `tried`. Throws if neither is possible for the report. A photo that fails never stops the report; it is counted as lost.
 */
export async function sendReport(
  token: string,
  page: FaultPage,
  reporter: string,
  report: Report,
  photos: readonly Photo[],
  tried: () => void,
): Promise<Shown> {
  const { key, problem, text, stopped } = report;
  const label = page.problems.find(({ id }) => id === problem)?.label ?? problem;
  const title = `${page.unit_number}: ${translated(label)}`;
  const body = { problem, text, stopped: stopped === true, report_id: key, pass: page.pass };
  const draft = draftOf(key, `report ${token}`, title, reporter, pathOf(token), body);
  const path = `${pathOf(token)}/photos`;
  /** Calls `send` for each photo, and returns how many failed. */
  const each = async (send: (draft: ReturnType<typeof draftOf>, photo: Photo) => Promise<unknown>) => {
    let lost = 0;
    for (const photo of photos) {
      const about = { report_id: key, photo_id: photo.id, pass: page.pass };
      const one = draftOf(photo.id, `photo ${photo.id}`, title, reporter, path, about);
      await send(one, photo).catch(() => lost++);
    }
    return lost;
  };
  const item = await keep(draft);
  if (item !== undefined) {
    const box = await outbox();
    return kept(item, await each((one, { bytes }) => box.write({ ...one, follows: key, photo: bytes })));
  }
  tried();
  const { ticket_number } = await post<{ readonly ticket_number: string }>(pathOf(token), draft.request.body);
  const lost = await each(({ request }, { bytes }) =>
    post(path, { ...request.body, content_base64: base64(new Uint8Array(bytes)) }, PHOTO_TIMEOUT_MS),
  );
  return { ...sentNow(draft, ticket_number), lost, direct: photos.length - lost };
}

/** Deletes what the gateway refused. Photos of a refused report go with it. */
export async function dropItem({ seq, id }: Pick<Item, 'seq' | 'id'>, all: readonly Item[]): Promise<void> {
  const box = await outbox();
  for (const photo of all) if (photo.follows === id && photo.state !== 'sent') await box.drop(photo.seq);
  await box.drop(seq);
}

/** What this phone keeps. */
export interface Kept extends View {
  /** True if this phone can keep what a person writes. */
  readonly stores: boolean;
}

/** The checks, reports and photos that this phone keeps. */
export function useKept(): Kept {
  const [view, setView] = useState<Kept>({ items: [], line: 'idle', stores: false });
  useEffect(() => {
    let stop = (): void => undefined;
    outbox().then(
      (box) => {
        stop = box.watch(({ items, line }) =>
          setView({ line, items: items.filter(({ request }) => request.open), stores: true }),
        );
      },
      () => undefined,
    );
    return () => stop();
  }, []);
  return view;
}

const STORE = 'headframe.report';
const NAME = 'headframe.reporter';

/** Reads what a browser keeps; null if it keeps nothing, or something else. */
function stored<T>(store: () => Storage, name: string): T | null {
  try {
    return JSON.parse(store().getItem(name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

function setStored(store: () => Storage, name: string, value: unknown): void {
  try {
    store().setItem(name, JSON.stringify(value));
  } catch {
    // The storage is full or disabled. The value then exists in the page only, and a reload loses it.
  }
}

const ofTab = () => sessionStorage;
const ofPhone = () => localStorage;

/** Returns the name of the person who uses this phone, empty at first, and a function that changes it. The phone keeps it. */
export function useReporter(): readonly [name: string, setName: (name: string) => void] {
  const [name, setName] = useState(() => String(stored<string>(ofPhone, NAME) ?? ''));
  return [
    name,
    (next) => {
      setName(next);
      setStored(ofPhone, NAME, next);
    },
  ];
}

const fresh = (): Report => ({ key: newId(), problem: '', text: '', stopped: null });

/** Returns the report that a person fills in, which the tab keeps. `renew` begins the next one. */
export function useReport(token: string) {
  const [report, setReport] = useState<Report>(() => {
    const read = stored<Report & { readonly token: string }>(ofTab, STORE);
    return read?.token === token ? { ...fresh(), ...read } : fresh();
  });
  const set = (next: Report) => {
    setReport(next);
    setStored(ofTab, STORE, { ...next, token });
  };
  return {
    report,
    /** Changes the report. If the gateway may have it as it was, the changed one is a new report: it gets another id. */
    change: (part: Partial<Report>) =>
      set({ ...report, ...part, ...(report.tried === true && { key: newId(), tried: false }) }),
    tried: () => set({ ...report, tried: true }),
    /** Gives the report another id: it is a new report. */
    rename: () => set({ ...report, key: newId() }),
    renew: () => set(fresh()),
  };
}
