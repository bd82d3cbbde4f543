/**
 * The record of the frames that the requester sent, for the log of the device. Each entry is on disk before its frame is sent, so that a
 * killed process reports it after its restart.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The frames since the last entry in the log. */
export interface SentFrames {
  readonly from_ms: number;
  to_ms: number;
  address: number | null;
  claims: number;
  /** Frames that were not sent because of the limit per minute. */
  held: number;
  readonly asked: Record<string, number>;
  readonly answered: Record<string, number>;
}

export class RequestRecord {
  /** Undefined when no frame was sent since the last entry. */
  current: SentFrames | undefined;
  private readonly file: string;
  private readonly event: (type: string, data: Readonly<Record<string, unknown>>) => boolean;

  /** Reports the frames that a killed process left in `file`. */
  constructor(file: string, event: (type: string, data: Readonly<Record<string, unknown>>) => boolean) {
    this.file = file;
    this.event = event;
    try {
      this.current = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // The last process left no unreported frames.
    }
    this.report({ interrupted: true });
  }

  /** Adds a frame that is about to be sent; false when the disk does not take it. */
  add(at_ms: number, note: (frames: SentFrames) => void): boolean {
    this.current ??= { from_ms: at_ms, to_ms: at_ms, address: null, claims: 0, held: 0, asked: {}, answered: {} };
    this.current.to_ms = at_ms;
    note(this.current);
    try {
      writeFileSync(`${this.file}.new`, JSON.stringify(this.current));
      renameSync(`${this.file}.new`, this.file);
      return true;
    } catch {
      return false;
    }
  }

  /** Puts an entry into the log, and removes the file once the entry is on disk. */
  report(more: Readonly<Record<string, unknown>> = {}): void {
    if (this.current === undefined) return;
    const { from_ms, to_ms, ...rest } = this.current;
    const time = (ms: number) => new Date(ms).toISOString();
    this.current = undefined;
    if (this.event('x.bus.requests', { from: time(from_ms), to: time(to_ms), ...rest, ...more }))
      rmSync(this.file, { force: true });
  }
}
