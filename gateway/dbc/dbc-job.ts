/** What the thread that reads DBC files is asked, and what it says. */

import type { ErrorCode } from '#contract/base/errors.ts';
import type { DbcRead } from '#contract/context.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { listSignals } from '#domain/dbc/answers.ts';
import type { tryDbc } from '#domain/dbc/trial.ts';

/** A log on this disk. */
export interface DbcLog {
  readonly path: string;
  readonly passwords: readonly string[];
}

/** To the thread, one question at a time. */
export interface DbcJob {
  /** A new text, or the hash of one that it may have read before; where it has not, its `DbcTextData` follows. */
  readonly of: { readonly text: string } | { readonly sha256: string };
  readonly ask: /** A new text is packed, too. */
    | { readonly kind: 'read'; readonly mapping: readonly MappedSignal[] }
    | { readonly kind: 'signals'; readonly q: string | undefined }
    /** Without a log its frames follow, in batches, each once the one before was taken. */
    | { readonly kind: 'trial'; readonly mapping: readonly MappedSignal[]; readonly log: DbcLog | null };
}

export interface DbcDone {
  readonly read: DbcRead & { readonly packed: string };
  readonly signals: ReturnType<typeof listSignals>;
  readonly trial: Awaited<ReturnType<typeof tryDbc>>;
}

/** The columns of a batch, cut to what is in them; null ends a trial's frames. */
export type DbcFrames = Pick<
  FrameBatch,
  'count' | 't' | 'id' | 'flags' | 'bus' | 'len' | 'data' | 'at' | 'long' | 'longUsed'
> | null;

/** A call that the asker did wrong. */
export interface DbcRefused {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string;
  readonly details: readonly Record<string, unknown>[];
}

/** From the thread; `next` asks for the text or for more frames, `done` and `refused` end the question. */
export type DbcAnswer =
  | { readonly next: 'text' | 'frames' }
  | { readonly done: DbcDone[keyof DbcDone] }
  | { readonly refused: DbcRefused };
