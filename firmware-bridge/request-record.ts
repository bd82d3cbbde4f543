/**
 * Counts the frames that the requester sends on the bus, for the log of the device. The counts are on disk before a frame is sent. So if
 * the process is killed, the bridge can report the counts after its restart.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Counts of the frames that were sent since the last entry in the log of the device. */
export interface SentFrames {
  readonly from_ms: number;
  to_ms: number;
  address: number | null;
  claims: number;
  /** Number of frames that were not sent because of the limit per minute. */
  held: number;
  readonly asked: Record<string, number>;
  readonly answered: Record<string, number>;
}

export class RequestRecord {
  /** Undefined when no frame was sent since the last entry. */
  current: SentFrames | undefined;
  private readonly file: string;
  private readonly event: (type: string, data: Readonly<Record<string, unknown>>) => boolean;

  /** Reads `file`, and reports counts that a killed process left in it. `event` puts an entry into the log of the device. */
  constructor(file: string, event: (type: string, data: Readonly<Record<string, unknown>>) => boolean) {
    this.file = file;
    this.event = event;
    try {
      this.current = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // There is no file that can be read, so the last process has already reported all its counts.
    }
    this.report({ interrupted: true });
  }

  /** Counts a frame that is about to be sent, and writes the counts to disk; returns false when this write fails. */
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

  /** Puts the counts into the log of the device, and removes the file after this log entry is on disk. */
  report(more: Readonly<Record<string, unknown>> = {}): void {
    if (this.current === undefined) return;
    const { from_ms, to_ms, ...rest } = this.current;
    const time = (ms: number) => new Date(ms).toISOString();
    this.current = undefined;
    if (this.event('x.bus.requests', { from: time(from_ms), to: time(to_ms), ...rest, ...more }))
      rmSync(this.file, { force: true });
  }
}
