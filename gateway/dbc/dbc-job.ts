/** The types of the messages between the main thread and the thread that reads DBC files. */

import type { ErrorCode } from '#contract/base/errors.ts';
import type { Sayable } from '#contract/base/told.ts';
import type { DbcRead } from '#contract/context.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { listSignals } from '#domain/dbc/answers.ts';
import type { tryDbc } from '#domain/dbc/trial.ts';

/** A log file on the disk of the gateway, and the passwords that may decrypt it. */
export interface DbcLog {
  readonly path: string;
  readonly passwords: readonly string[];
}

/** A request to the thread; only one runs at a time. */
export interface DbcJob {
  /**
   * The text of a new file, or the hash of a stored file that the thread may still have in memory. If the thread does not have it, it
   * asks for the text, and the main thread sends it as `DbcTextData`.
   */
  readonly of: { readonly text: string } | { readonly sha256: string };
  readonly ask: /** Parses a file and checks a mapping; compresses the text if it is new. */
    | { readonly kind: 'read'; readonly mapping: readonly MappedSignal[] }
    | { readonly kind: 'signals'; readonly q: string | undefined }
    /** Tests a mapping on a log. If `log` is null, the main thread sends frames in batches, one for each `frames` request. */
    | { readonly kind: 'trial'; readonly mapping: readonly MappedSignal[]; readonly log: DbcLog | null };
}

export interface DbcDone {
  readonly read: DbcRead & { readonly packed: string };
  readonly signals: ReturnType<typeof listSignals>;
  readonly trial: Awaited<ReturnType<typeof tryDbc>>;
}

/** The arrays of a frame batch, cut to the number of its frames. Null means that there are no more frames. */
export type DbcFrames = Pick<
  FrameBatch,
  'count' | 't' | 'id' | 'flags' | 'bus' | 'len' | 'data' | 'at' | 'long' | 'longUsed'
> | null;

/** The error of a request that the caller can correct, for example a syntax error in the file. */
export interface DbcRefused {
  readonly code: ErrorCode;
  readonly message: Sayable;
  readonly param: string;
  readonly details: readonly Record<string, unknown>[];
}

/** An answer of the thread: `next` asks for the text or more frames; `done` and `refused` end the request. */
export type DbcAnswer =
  | { readonly next: 'text' | 'frames' }
  | { readonly done: DbcDone[keyof DbcDone] }
  | { readonly refused: DbcRefused };
