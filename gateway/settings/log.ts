/** The log: JSON lines on standard output, written by pino. In every field, a text that looks like a key or token is shortened. */
import pino from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** The log function that every part gets: a level, a message for people, and fields for programs. */
export type Log = (level: LogLevel, message: string, data?: object) => void;

const SECRET =
  /\b(wk|dk|dsp|flt|pat|ctl|gw)_[A-Za-z0-9]{8}_?[A-Za-z0-9_-]{20,}|Bearer\s+\S+|(?<=\/(?:tv|displays|report|fault-reports)\/)[A-Za-z0-9_-]{20,}/g;

/** Creates a log that writes JSON lines to standard output, from the given level up. */
export function createLog(level: LogLevel | 'silent'): Log {
  const logger = pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: (line) => line.replace(SECRET, (found) => `${found.slice(0, 6)}…`) },
  });
  return (at, message, data) => logger[at](data ?? {}, message);
}
