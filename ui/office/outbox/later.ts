/** The part of the outbox that pages load at once. The rest loads after the page, and stays loaded when the gateway is gone. */
import type { LateWrite } from '#contract/late-writes.ts';
import type { Input, Output } from '#contract/operations.ts';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import type { Entry, Session } from '#ui/office/base/session.ts';
import type { About } from './deliver.ts';

const marks = () => import('./outbox-mark.tsx');

export const OutboxMark = lazyPage(() => marks().then((one) => one.OutboxMark), 'quiet');
export const OutboxLine = lazyPage(() => marks().then((one) => one.OutboxLine), 'quiet');
export const Kept = lazyPage(() => marks().then((one) => one.Kept), 'quiet');

/**
 * Stores a write and sends it. Returns the answer, or null if this browser keeps the write and sends it later. Throws `ClientError` if the
 * gateway refuses it at once; the write is then not kept.
 */
export const later = async <N extends LateWrite>(
  session: Session,
  name: N,
  input: Input<N>,
  about: About,
): Promise<Output<N> | null> => (await import('./deliver.ts')).deliver(session, name, input, about);

/** Asks for a new pass: a new PIN, a new passphrase and the end of a session end the passes of a person. */
export function renewPass(session: Session): void {
  import('./deliver.ts').then(
    (one) => one.renewPass(session),
    () => undefined,
  );
}

/** Says who sends from now on: the person who is signed in, or the shared tablet alone. */
export function sendAs(entry: Entry): void {
  import('./deliver.ts').then(
    (one) => one.sendAs(entry),
    () => undefined,
  );
}
