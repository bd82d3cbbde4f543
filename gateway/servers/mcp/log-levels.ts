/**
 * The log level that each caller has set (MCP 2025-11-25, "Logging"). The endpoint keeps no sessions, so the level belongs to the key. Until
 * a caller sets a level, it gets no log messages.
 */
import { type LoggingLevel, LoggingLevelSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '#contract/context.ts';

/** Largest number of callers whose level is kept. The caller that set its level first is then forgotten, and gets no messages. */
const MOST_CALLERS = 1_000;
const SEVERITY: readonly LoggingLevel[] = LoggingLevelSchema.options;

/** Sends a message to the client of the current request, if its level includes the message. */
export type Tell = (level: LoggingLevel, message: string) => void;

export interface LogLevels {
  set(caller: Caller, level: LoggingLevel): void;
  /** Returns true if the caller gets messages, so that its answer must be a stream. */
  has(caller: Caller): boolean;
  /** Returns true if the caller wants messages of this level. */
  wants(caller: Caller, level: LoggingLevel): boolean;
}

export function createLogLevels(): LogLevels {
  const levels = new Map<string, LoggingLevel>();
  const keyOf = ({ kind, id }: Caller): string => `${kind} ${id}`;
  return {
    set(caller, level) {
      const key = keyOf(caller);
      levels.delete(key);
      if (levels.size >= MOST_CALLERS) levels.delete(levels.keys().next().value as string);
      levels.set(key, level);
    },
    has: (caller) => levels.has(keyOf(caller)),
    wants(caller, level) {
      const set = levels.get(keyOf(caller));
      return set !== undefined && SEVERITY.indexOf(level) >= SEVERITY.indexOf(set);
    },
  };
}
