/** Simulates a site together with the loggers on its machines, and produces the messages that the loggers send to the gateway. */
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createLogger, type Logger, type LoggerMessage } from './logger.ts';
import type { Site } from './site.ts';

export interface Simulation {
  readonly site: Site;
  /** The loggers, one for each machine of the site, in the same order. */
  readonly loggers: readonly Logger[];
  /**
   * Simulates up to a time and calls `send` for each message that a logger sends until that time. The messages come machine by machine, and
   * in order for each machine.
   */
  advance(to_ms: number, send: (machine: number, message: LoggerMessage) => void): void;
  /** Sends all messages that the loggers have not sent yet. */
  finish(send: (machine: number, message: LoggerMessage) => void): void;
}

/** Creates a simulation with one logger for each machine of the site. All loggers have power from the start. */
export function createSimulation(site: Site, seed: number): Simulation {
  const start_ms = site.now_ms;
  const loggers = site.roster.map((row, i) => createLogger(row.logger, { seed: seed * 1_000 + i, start_ms }));
  const batches = site.roster.map(() => new FrameBatch(256));
  return {
    site,
    loggers,
    advance(to_ms, send) {
      site.advance(to_ms, batches);
      for (const [i, logger] of loggers.entries()) {
        const batch = batches[i] as FrameBatch;
        logger.advance(site.now_ms, batch, (message) => send(i, message));
        batch.clear();
      }
    },
    finish(send) {
      for (const [i, logger] of loggers.entries()) logger.finish(site.now_ms, (message) => send(i, message));
    },
  };
}
