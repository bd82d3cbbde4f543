/** What a person sends: done once however often it is sent, and said in words when it was not done. */
import { useCallback, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import { newIdempotencyKey } from '#ui/office/base/session.ts';
import { STATUS_WORDS } from './ticket-text.ts';

/** A write that is not answered by then may or may not have been done; sending it again does it once. */
const WRITE_MS = 20_000;

/** What every write carries. */
export interface Once {
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
}

export interface Writing {
  readonly busy: boolean;
  readonly problem: string | null;
  /** Sends; a second call while the first is under way does nothing. */
  write(act: (once: Once) => Promise<void>): void;
  clear(): void;
}

/** False when nobody knows whether the write was done: the next try must carry the same key. */
export function isAnswered(error: unknown): boolean {
  if (!(error instanceof ClientError)) return true;
  return error.status !== null && error.status < 500 && error.code !== 'operation_in_progress';
}

/** What to tell a person whose write failed; whatever was typed is still there. */
export function sayFailed(error: unknown): string {
  if (!(error instanceof ClientError)) return error instanceof Error ? error.message : 'Something went wrong.';
  const { code } = error;
  if (code === 'unreachable')
    return 'Not sent: the gateway does not answer. What you typed is kept here. Send it again when the gateway is back; it is done only once.';
  if (code === 'idempotency_key_reused')
    return 'What you sent before has arrived after all. Look at what stands here now, then send the rest again.';
  if (code === 'invalid_transition') {
    const step = error.error?.details[0] as { from?: TicketStatus; allowed?: TicketStatus[] } | undefined;
    const allowed = (step?.allowed ?? []).map((to) => STATUS_WORDS[to]);
    const from = step?.from === undefined ? 'as it is' : STATUS_WORDS[step.from];
    return allowed.length === 0
      ? `Not done: this ticket is ${from}, and stays so. Flag a new one.`
      : `Not done: this ticket is ${from} now. From there it can go to ${allowed.join(' or ')}.`;
  }
  return error.message;
}

/** The state of what one form or button sends. */
export function useWrite(): Writing {
  const [state, setState] = useState<{ busy: boolean; problem: string | null }>({ busy: false, problem: null });
  const running = useRef(false);
  const key = useRef<string | null>(null);
  const write = useCallback((act: (once: Once) => Promise<void>) => {
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
        setState({ busy: false, problem: sayFailed(error) });
      },
    );
  }, []);
  const clear = useCallback(() => setState((before) => ({ ...before, problem: null })), []);
  return { ...state, write, clear };
}
