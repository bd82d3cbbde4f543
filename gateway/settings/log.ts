/** One JSON line per fact worth keeping, through pino; secrets are cut out by pattern whatever field they are in. */
import pino from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** How every room speaks: a level, a sentence, and what a program would want to read. */
export type Log = (level: LogLevel, message: string, data?: object) => void;

const SECRET =
  /\b(wk|dk|dsp|pat|ctl|gw)_[A-Za-z0-9]{8}_?[A-Za-z0-9_-]{20,}|Bearer\s+\S+|(?<=\/(?:tv|displays)\/)[A-Za-z0-9_-]{20,}/g;

/** A log that writes JSON lines to standard output. */
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
