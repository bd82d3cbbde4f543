/** The clock of a process that is wrong, and that jumps while the process runs. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

export class WrongClock implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'headframe-clock-'));
  readonly #file = join(this.#folder, 'clock');

  constructor() {
    this.set(0);
  }

  /** Sets the difference to the true time. A process that runs sees it within a second. */
  set(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}`);
  }

  /** The settings of a process that has this clock. Without libfaketime its clock is right. */
  get settings(): Readonly<Record<string, string>> {
    if (!existsSync(LIBRARY)) return {};
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
