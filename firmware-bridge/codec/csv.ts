/**
 * Writes frames as comma-separated values: one row for each frame, its bytes in hexadecimal. `convert --to csv` writes decoded values.
 *
 *   time,bus,id,flags,dlc,data
 *   2021-06-01T11:43:50.084000Z,1,0x18FEEE00,ext,8,7E 6E FF FF FF FF FF FF
 *
 * Identifiers begin with 0x and spaces separate the bytes, so that no spreadsheet takes them for numbers. The time of a frame without a
 * date is the seconds since the recording began. `dlc` is the length code: above 8 it is not the length (CAN FD).
 */
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { lengthCode } from './fd-lengths.ts';
import { TextOut } from './text-out.ts';
import { FIRST_DATE_US } from './times.ts';

const WORDS: readonly (readonly [flag: number, word: string])[] = [
  [FRAME.extended, 'ext'],
  [FRAME.remote, 'rtr'],
  [FRAME.error, 'err'],
  [FRAME.fd, 'fd'],
  [FRAME.brs, 'brs'],
  [FRAME.transmitted, 'tx'],
];

/** The text of the `flags` column for every combination of flags. */
const FLAGS = Array.from({ length: 256 }, (_, flags) =>
  WORDS.flatMap(([flag, word]) => (flags & flag ? [word] : [])).join(' '),
);

/** Writes frames as CSV, batch by batch. */
export class CsvWriter {
  private begun = false;
  private second = Number.NaN;
  private day = '';

  /** Returns the rows of the next frames. */
  write(batch: FrameBatch): Uint8Array {
    const out = new TextOut(Math.max(64, batch.count * 72));
    if (!this.begun) out.text('time,bus,id,flags,dlc,data\n');
    this.begun = true;
    for (let i = 0; i < batch.count; i++) {
      const flags = batch.flags[i] as number;
      this.putTime(out, Math.max(0, Math.round(batch.t[i] as number)));
      out.decimal(batch.bus[i] as number);
      out.text(',0x');
      out.hex(batch.id[i] as number, flags & (FRAME.extended | FRAME.error) ? 8 : 3);
      out.text(`,${FLAGS[flags]},`);
      out.decimal(lengthCode(batch.len[i] as number));
      out.text(',');
      if ((flags & FRAME.remote) === 0) out.pairs(batch.payload(i), true);
      out.text('\n');
    }
    return out.take();
  }

  /** Returns the titles when no row was written, else nothing. */
  end(): Uint8Array {
    const none = new Uint8Array(0);
    return this.begun ? none : this.write(new FrameBatch(1));
  }

  private putTime(out: TextOut, us: number): void {
    if (us < FIRST_DATE_US) out.seconds(us);
    else {
      const second = Math.floor(us / 1e6);
      if (second !== this.second) {
        this.second = second;
        this.day = new Date(second * 1000).toISOString().slice(0, 20);
      }
      out.text(this.day);
      out.decimal(us - second * 1e6, 6);
      out.text('Z');
    }
    out.text(',');
  }
}
