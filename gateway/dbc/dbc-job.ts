/** The messages between the gateway and the thread that reads DBC files. */

import type { ErrorCode } from '#contract/base/errors.ts';
import type { DbcRead } from '#contract/context.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { listSignals } from '#domain/dbc/answers.ts';
import type { tryDbc } from '#domain/dbc/trial.ts';

/** A log file on this disk. */
export interface DbcLog {
  readonly path: string;
  readonly passwords: readonly string[];
}

/** A request to the thread; only one runs at a time. */
export interface DbcJob {
  /**
   * A new text, or the hash of a text that the thread may still have. When it does not have it, the text follows as
   * `DbcTextData`.
   */
  readonly of: { readonly text: string } | { readonly sha256: string };
  readonly ask: /** Reads a file, and packs a new text. */
    | { readonly kind: 'read'; readonly mapping: readonly MappedSignal[] }
    | { readonly kind: 'signals'; readonly q: string | undefined }
    /** Without a log, the frames follow in batches, each after the thread took the one before. */
    | { readonly kind: 'trial'; readonly mapping: readonly MappedSignal[]; readonly log: DbcLog | null };
}

export interface DbcDone {
  readonly read: DbcRead & { readonly packed: string };
  readonly signals: ReturnType<typeof listSignals>;
  readonly trial: Awaited<ReturnType<typeof tryDbc>>;
}

/** The columns of a batch, without unused space; null ends the frames of a trial. */
export type DbcFrames = Pick<
  FrameBatch,
  'count' | 't' | 'id' | 'flags' | 'bus' | 'len' | 'data' | 'at' | 'long' | 'longUsed'
> | null;

/** A request that the caller can correct. */
export interface DbcRefused {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string;
  readonly details: readonly Record<string, unknown>[];
}

/** An answer of the thread: `next` asks for the text or more frames; `done` and `refused` end the request. */
export type DbcAnswer =
  | { readonly next: 'text' | 'frames' }
  | { readonly done: DbcDone[keyof DbcDone] }
  | { readonly refused: DbcRefused };
