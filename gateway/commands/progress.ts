/** Shows the progress of reading a long log, or of writing or reading a file, to a person at a terminal. */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

const PROGRESS_MS = 1_000;
const MIB = 1 << 20;

/** Writes the progress to standard error once a second; writes nothing when standard error is no terminal. */
export interface Progress {
  tell(batch: FrameBatch): void;
  /** Removes the line with the progress from the terminal. */
  end(): void;
}

/** Creates the progress display for a log; `name` is the name of the log in the displayed line. */
export function createProgress(name: string, out: NodeJS.WriteStream = process.stderr): Progress {
  const started = performance.now();
  let shown = started;
  let frames = 0;
  let told = false;
  return {
    tell({ count, t, flags }) {
      frames += count;
      const now = performance.now();
      if (out.isTTY !== true || now - shown < PROGRESS_MS || count === 0) return;
      shown = now;
      told = true;
      const at = t[count - 1] as number;
      const undated = ((flags[count - 1] as number) & FRAME.noTime) !== 0;
      const when = undated ? `${Math.floor(at / 1e6)} s` : new Date(at / 1000).toISOString().slice(0, 19);
      out.write(`\r\u001b[K${name}: ${frames.toLocaleString('en')} frames, at ${when}`);
    },
    end() {
      if (told) out.write('\r\u001b[K');
    },
  };
}

/** Shows how many bytes of a file were written or read. */
interface ByteProgress {
  tell(bytes: number): void;
  /** Removes the line from the terminal. */
  end(): void;
}

/** `what`: the begin of the line. `size`: the number of all bytes, if it is known. */
export function createByteProgress(
  what: string,
  size?: number,
  out: NodeJS.WriteStream = process.stderr,
): ByteProgress {
  let shown = performance.now();
  let bytes = 0;
  let told = false;
  return {
    tell(more) {
      bytes += more;
      const now = performance.now();
      if (out.isTTY !== true || now - shown < PROGRESS_MS) return;
      shown = now;
      told = true;
      const of = size === undefined ? '' : ` of ${(size / MIB).toFixed(1)}`;
      out.write(`\r\u001b[K${what}: ${(bytes / MIB).toFixed(1)}${of} MiB`);
    },
    end() {
      if (told) out.write('\r\u001b[K');
      told = false;
    },
  };
}
