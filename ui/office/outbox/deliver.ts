/**
 * Writes that go through the outbox of this browser: the browser stores them first, and sends them when the gateway answers. A page gets the
 * answer if it comes at once; otherwise the write is kept, and the person can go on.
 */
import { useEffect, useState } from 'preact/hooks';
import { ClientError, createClient, PAGE_HEADER, requestOf, TABLET_PAGE } from '#contract/client.ts';
import type { LateWrite } from '#contract/late-writes.ts';
import type { Input, Output } from '#contract/operations.ts';
import type { Entry, Session } from '#ui/office/base/session.ts';
import { type Fact, type Item, NotKept } from '#ui/outbox/item.ts';
import type { Outbox, Outcome, View } from '#ui/outbox/outbox.ts';

/** A form waits this long for the answer before it says that the write is kept. */
const PATIENCE_MS = 4_000;
/** The page gets a new pass after this time, because a pass also bounds how early a write can have been. */
const RENEWED_MS = 600_000;
/** A write that the browser does not store must be answered within this time. */
const DIRECT_MS = 20_000;

/** After a failed request for a pass, the page asks again after this time at the earliest. */
const ASK_AGAIN_MS = 30_000;

/** The pass of the person who is signed in, and when the page may ask for the next one. */
interface Held {
  readonly of: string | Session;
  readonly ask_at: number;
  readonly pass: string | null;
  readonly asking: Promise<void>;
}

let opened: Promise<Outbox> | undefined;
let sender: Readonly<Record<string, string>> | null = null;
let held: Held | undefined;

/** Opens the outbox of this browser. Its code loads after the page. Rejects if the browser stores nothing. */
export function outbox(): Promise<Outbox> {
  opened ??= import('#ui/outbox/outbox.ts').then(async ({ openOutbox }) => {
    const box = await openOutbox(() => sender);
    box.outcomes(({ answer, item }) => {
      if (answer?.code === 'writing_pass_refused') forget(item?.pass ?? null);
    });
    return box;
  });
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}

/** Says who sends from now on: the person who is signed in, or the shared tablet alone. */
export function sendAs(entry: Entry): void {
  if (entry.at === 'in') {
    sender = createClient(entry.session.who).headers();
    const { session } = entry;
    // The page has just read the time of the gateway.
    outbox().then(
      ({ clock }) => clock.learn(session.now()),
      () => undefined,
    );
    renewPass(session);
  } else sender = entry.at === 'tablet' ? { [PAGE_HEADER]: TABLET_PAGE } : null;
  outbox().then(
    ({ wake }) => wake(),
    () => undefined,
  );
}

/** The name of the note with the pass of the last person. */
const PASS_NOTE = 'pass';
type PassNote = { readonly of: string; readonly pass: string };

async function keptPass(of: Held['of']): Promise<string | null> {
  const note = await outbox()
    .then((box) => box.note<PassNote>(PASS_NOTE))
    .catch(() => undefined);
  return note !== undefined && note.of === of ? note.pass : null;
}

function take(of: Held['of'], pass: string | null): void {
  if (held?.of === of) held = { ...held, pass };
  if (typeof of !== 'string') return;
  outbox()
    .then((box) => box.setNote(PASS_NOTE, pass === null ? undefined : ({ of, pass } satisfies PassNote)))
    .catch(() => undefined);
}

/** Asks for a pass. If the gateway gives none, the pass from before stays, because a pass is valid for 45 days. */
async function ask(session: Session, of: Held['of']): Promise<void> {
  try {
    const { pass } = await session.client.call(
      'writing_passes_create',
      {},
      { signal: AbortSignal.timeout(PATIENCE_MS) },
    );
    take(of, pass);
  } catch {
    if (held?.of === of) held = { ...held, ask_at: performance.now() + ASK_AGAIN_MS };
  }
}

/**
 * Returns the pass of the person who writes now; null if the gateway has never given one. Waits for the gateway only if this browser has no
 * pass of the person.
 */
export async function passOf(session: Session): Promise<string | null> {
  const of = session.me.user?.id ?? session;
  if (held?.of !== of || performance.now() >= held.ask_at) {
    const pass = held?.of === of ? held.pass : null;
    // `ask` changes `held` later, never before this assignment.
    const asking = Promise.resolve().then(() => ask(session, of));
    held = { of, ask_at: performance.now() + RENEWED_MS, pass, asking };
  }
  const { pass, asking } = held;
  if (pass !== null) return pass;
  const kept = await keptPass(of);
  if (kept !== null) {
    if (held?.of === of && held.pass === null) held = { ...held, pass: kept };
    return kept;
  }
  await asking;
  return held?.of === of ? held.pass : null;
}

/** Asks for a new pass at once: somebody has signed in, or something has ended the passes of this person. */
export function renewPass(session: Session): void {
  if (held !== undefined) held = { ...held, ask_at: 0 };
  void passOf(session);
}

/** Forgets a pass that the gateway does not take any more. The next write gets a new one. */
function forget(pass: string | null): void {
  if (held === undefined || pass === null || held.pass !== pass) return;
  take(held.of, null);
  held = undefined;
}

/** For a browser that stores nothing: its photos go straight to the gateway. */
async function base64Of(photo: ArrayBuffer): Promise<string> {
  const { base64 } = await import('#ui/outbox/base64.ts');
  return base64(new Uint8Array(photo));
}

/** What the list of kept writes says about a write. */
export interface About {
  /** The record; writes with the same subject stay in order. */
  readonly subject: string;
  readonly title: string;
  readonly if_match?: number;
  /** For the choice after a conflict. */
  readonly facts?: readonly Fact[];
  readonly read?: string;
  /** Ids of photos that the input names and that may not be sent yet. */
  readonly photos?: readonly string[];
  readonly photo?: ArrayBuffer;
  /** The id of the write. It is the same each time the person repeats the write, also after a reload. */
  readonly id: string;
  /** The id of the kept write of the same record that the page shows to the person as done. */
  readonly follows?: string;
  /** Called when the browser has stored the write: from then on a reload must not show the form again. */
  onStored?(): void;
}

/** Waits for the answer to a write; resolves with null if it does not come at once. */
function answerTo(box: Outbox, id: string): { readonly answer: Promise<Outcome | null>; stop(): void } {
  let end: (outcome: Outcome | null) => void = () => undefined;
  const answer = new Promise<Outcome | null>((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(() => end(null), PATIENCE_MS);
  const unsubscribe = box.outcomes((outcome) => {
    if (outcome.item?.id === id && outcome.answer !== undefined) end(outcome);
    else if (outcome.line === 'unreachable') end(null);
  });
  void answer.then(() => {
    clearTimeout(timer);
    unsubscribe();
  });
  return { answer, stop: () => end(null) };
}

/** The fields that the gateway keeps of the answer to a late write. A repeat gets only these. */
const OF_REPEAT: ReadonlySet<string> = new Set(['object', 'id', 'revision', 'number', 'unit_number', 'sequence']);

/** True for the first answer to a write, and false for the answer to a repeat. */
const isWhole = (body: object): boolean => Object.keys(body).some((name) => !OF_REPEAT.has(name));

/**
 * Stores a write and sends it. Returns the answer, or null if this browser keeps the write and sends it later. Throws `ClientError` if the
 * gateway refuses it at once; the write is then not kept.
 */
export async function deliver<N extends LateWrite>(
  session: Session,
  name: N,
  input: Input<N>,
  about: About,
): Promise<Output<N> | null> {
  const { photo, if_match, onStored, ...more } = about;
  const { id } = about;
  const box = await outbox().catch(() => null);
  const pass = await passOf(session);
  const direct = async (): Promise<Output<N>> => {
    const options = { idempotency_key: id, ...(if_match !== undefined && { if_match }) };
    const whole = photo === undefined ? input : { ...input, content_base64: await base64Of(photo) };
    return session.client.call(name, whole, { ...options, signal: AbortSignal.timeout(DIRECT_MS) });
  };
  if (box === null || pass === null) return direct();
  const { answer, stop } = answerTo(box, id);
  let item: Item;
  try {
    item = await box.write({
      ...more,
      ...(photo !== undefined && { photo }),
      id,
      who: session.me.name,
      project: session.project.id,
      request: { ...requestOf(name, input), if_match: if_match ?? null, open: false },
      pass,
    });
  } catch (error) {
    stop();
    // The browser does not store it, for example because its disk is full.
    if (!(error instanceof NotKept) && (about.photos ?? []).length === 0) return direct();
    throw error;
  }
  onStored?.();
  const outcome = await answer;
  const state = outcome?.item?.state;
  if (outcome?.answer === undefined || state === undefined || state === 'queued') return null;
  if (state === 'sent') return isWhole(outcome.answer.body) ? (outcome.answer.body as Output<N>) : null;
  await box.drop(item.seq);
  const { status, message, body } = outcome.answer;
  throw new ClientError(message, status, (body as { error?: ClientError['error'] }).error ?? null);
}

const NOTHING: View = { items: [], line: 'idle' };

/** What the outbox of this browser has. */
export function useOutbox(): View {
  const [view, setView] = useState(NOTHING);
  useEffect(() => {
    let stop = (): void => undefined;
    let gone = false;
    outbox().then(
      (box) => {
        if (!gone) stop = box.watch(setView);
      },
      () => undefined,
    );
    return () => {
      gone = true;
      stop();
    };
  }, []);
  return view;
}
