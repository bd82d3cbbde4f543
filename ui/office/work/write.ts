/** Writes that a person may send more than once. The gateway applies each write only once, and the page shows why a write failed. */
import { useCallback, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import { t } from '#ui/languages/texts.ts';
import { errorText, newIdempotencyKey } from '#ui/office/base/session.ts';
import { STATUS_WORDS } from './ticket-text.ts';

/**
 * Timeout of a write in milliseconds. After the timeout, the page does not know whether the gateway has applied the write. So the page
 * repeats the write with the same idempotency key, and the gateway applies it only once.
 */
const WRITE_MS = 20_000;

/** The request options that each write passes to the client. */
export interface Once {
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
}

export interface Writing {
  readonly busy: boolean;
  readonly problem: string | null;
  /** Sends the write. Does nothing while an earlier write is in progress. */
  write(act: (once: Once) => Promise<void>): void;
  clear(): void;
}

/**
 * Returns true if the write was certainly not applied: the gateway has refused it, or the page has not sent it. Returns false if the
 * gateway may have applied the write; the next attempt must then have the same idempotency key.
 */
export function isAnswered(error: unknown): boolean {
  if (!(error instanceof ClientError)) return true;
  return error.status !== null && error.status < 500 && error.code !== 'operation_in_progress';
}

/** Returns the text that the page shows after a failed write. `unsent`: what it says if the gateway does not answer. */
export function failureText(error: unknown, unsent?: string): string {
  if (!(error instanceof ClientError)) return errorText(error);
  const { code } = error;
  if (code === 'unreachable')
    return (
      unsent ??
      t(
        'Not sent: the gateway does not answer. Your text is kept here. Send it again later; the gateway stores it only once.',
      )
    );
  if (code === 'idempotency_key_reused')
    return t(
      'The gateway already stored an earlier version of this text. Check this page, then send the missing part again.',
    );
  if (code === 'invalid_transition') {
    const step = error.error?.details[0] as { from?: TicketStatus; allowed?: TicketStatus[] } | undefined;
    const allowed = (step?.allowed ?? []).map((to) => t(STATUS_WORDS[to]));
    const from = step?.from === undefined ? t('in another state') : t(STATUS_WORDS[step.from]);
    return allowed.length === 0
      ? t('Not saved: this ticket is {from} and cannot change. Create a new ticket.', { from })
      : t('Not saved: this ticket is now {from}. It can change to {allowed}.', {
          from,
          allowed: allowed.join(` ${t('or')} `),
        });
  }
  return errorText(error);
}

/** Returns the write state of one form or button. `unsent`: what the page says if the gateway does not answer. */
export function useWrite(unsent?: string): Writing {
  const [state, setState] = useState<{ busy: boolean; problem: string | null }>({ busy: false, problem: null });
  const running = useRef(false);
  const key = useRef<string | null>(null);
  const write = useCallback(
    (act: (once: Once) => Promise<void>) => {
      if (running.current) return;
      running.current = true;
      key.current ??= newIdempotencyKey();
      setState({ busy: true, problem: null });
      act({ idempotency_key: key.current, signal: AbortSignal.timeout(WRITE_MS) }).then(
        () => {
          running.current = false;
          key.current = null;
          setState({ busy: false, problem: null });
        },
        (error: unknown) => {
          running.current = false;
          if (isAnswered(error)) key.current = null;
          setState({ busy: false, problem: failureText(error, unsent) });
        },
      );
    },
    [unsent],
  );
  const clear = useCallback(() => setState((before) => ({ ...before, problem: null })), []);
  return { ...state, write, clear };
}
