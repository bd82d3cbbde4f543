/**
 * Writes that go through the outbox of this browser: the browser stores them first, and sends them when the gateway answers. A page gets the
 * answer if it comes at once; otherwise the write is kept, and the person can go on.
 */
import { useEffect, useState } from 'preact/hooks';
import { ClientError, createClient, PAGE_HEADER, requestOf, TABLET_PAGE } from '#contract/client.ts';
import type { LateWrite } from '#contract/late-writes.ts';
import type { Input, Output } from '#contract/operations.ts';
import { type Entry, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import type { Fact, Item } from '#ui/outbox/item.ts';
import type { Outbox, Outcome, View } from '#ui/outbox/outbox.ts';

/** A form waits this long for the answer before it says that the write is kept. */
const PATIENCE_MS = 4_000;
/** The page gets a new pass after this time, because a pass also bounds how early a write can have been. */
const RENEWED_MS = 600_000;

let opened: Promise<Outbox> | undefined;
let sender: Readonly<Record<string, string>> | null = null;
let held: { readonly of: Session; readonly at: number; readonly pass: Promise<string | null> } | undefined;

/** Opens the outbox of this browser. Its code loads after the page. Rejects if the browser stores nothing. */
export function outbox(): Promise<Outbox> {
  opened ??= import('#ui/outbox/outbox.ts').then(({ openOutbox }) => openOutbox(() => sender));
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}

/** Says who sends from now on: the person who is signed in, or the shared tablet alone. */
export function sendAs(entry: Entry): void {
  if (entry.at === 'in') {
    sender = createClient(entry.session.who).headers();
    void passOf(entry.session);
  } else sender = entry.at === 'tablet' ? { [PAGE_HEADER]: TABLET_PAGE } : null;
  outbox().then(
    ({ wake }) => wake(),
    () => undefined,
  );
}

/** Returns the pass of the person who writes now; null if the gateway has not given one. */
export function passOf(session: Session): Promise<string | null> {
  if (held?.of !== session || Date.now() - held.at > RENEWED_MS) {
    const before = held?.of === session ? held.pass : Promise.resolve(null);
    const pass = session.client
      .call('writing_passes_create', {}, { signal: AbortSignal.timeout(PATIENCE_MS) })
      .then((made) => made.pass)
      .catch(() => {
        held = undefined;
        return before;
      });
    held = { of: session, at: Date.now(), pass };
  }
  return held.pass;
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
  /** The id of the write, if it must be the same after a reload. */
  readonly id?: string;
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
  const { photo, if_match, ...more } = about;
  const id = about.id ?? newIdempotencyKey();
  const box = await outbox().catch(() => null);
  const pass = await passOf(session);
  if (box === null || pass === null) {
    const options = { idempotency_key: id, ...(if_match !== undefined && { if_match }) };
    const whole = photo === undefined ? input : { ...input, content_base64: await base64Of(photo) };
    return session.client.call(name, whole, { ...options, signal: AbortSignal.timeout(20_000) });
  }
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
    throw error;
  }
  const outcome = await answer;
  const state = outcome?.item?.state;
  if (outcome?.answer === undefined || state === undefined || state === 'queued') return null;
  if (state === 'sent') return outcome.answer.body as Output<N>;
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
