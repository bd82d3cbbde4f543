/** Creates people one after the other from pasted lines, and keeps the result of each line. */

import { useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import type { Entry } from './people-parse.ts';
import { ROSTERS, type Roster } from './people-text.ts';

export type Outcome =
  | { readonly at: 'created' }
  | { readonly at: 'exists'; readonly text: string }
  | { readonly at: 'failed'; readonly text: string };

/**
 * Returns the key of a pasted line. The key is the content of the line, so a line that a person has edited counts as a new line without a
 * result.
 */
export const entryKey = (entry: Entry) => JSON.stringify(entry.input);

function outcomeOf(error: unknown): Outcome {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof ClientError && error.code === 'already_exists'
    ? { at: 'exists', text }
    : { at: 'failed', text };
}

export function usePeopleImport(session: Session, roster: Roster, onAdded: () => void) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stopRequested = useRef(false);
  /** Idempotency keys by line. If a line is sent again after its answer was lost, the gateway still creates the person only once. */
  const keys = useRef(new Map<string, string>());

  const send = async (entries: readonly Entry[]) => {
    stopRequested.current = false;
    setSending(true);
    setProblem(null);
    for (const entry of entries) {
      if (stopRequested.current) break;
      const key = entryKey(entry);
      const idempotency_key = keys.current.get(key) ?? newIdempotencyKey();
      keys.current.set(key, idempotency_key);
      const { trades, ...person } = entry.input;
      const input = roster === 'mechanics' && trades !== undefined ? { ...person, trades } : person;
      try {
        await session.client.call(ROSTERS[roster].create, input, { idempotency_key });
        setOutcomes((before) => new Map(before).set(key, { at: 'created' }));
      } catch (error) {
        if (error instanceof ClientError && error.status === null) {
          setProblem(
            t('{message} Send the rest when the gateway answers again. Nobody is added twice.', {
              message: error.message,
            }),
          );
          break;
        }
        setOutcomes((before) => new Map(before).set(key, outcomeOf(error)));
      }
    }
    setSending(false);
    onAdded();
  };
  const stop = () => {
    stopRequested.current = true;
  };
  return { outcomes, sending, problem, send, stop, clearProblem: () => setProblem(null) };
}
