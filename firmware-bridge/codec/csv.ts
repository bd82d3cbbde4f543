/**
 * Writes frames as comma-separated values (the format `csv-frames`): one row for each frame, with its data in hexadecimal. The format `csv`
 * of `headframe convert` is another format, which has decoded values.
 *
 *   time,bus,id,flags,dlc,data
 *   2021-06-01T11:43:50.084000Z,1,0x18FEEE00,ext,8,7E 6E FF FF FF FF FF FF
 *
 * Identifiers begin with 0x, and spaces separate the bytes. So a spreadsheet does not read them as numbers. A frame without a date has the
 * seconds since the recording began as its time. `dlc` is the length code; for CAN FD, a code above 8 stands for a longer payload.
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

/** The text of the `flags` column by the flags of a frame, for example `ext fd`. */
const FLAGS = Array.from({ length: 256 }, (_, flags) =>
  WORDS.flatMap(([flag, word]) => (flags & flag ? [word] : [])).join(' '),
);

/** Writes frames as CSV, batch by batch. */
export class CsvWriter {
  private begun = false;
  private second = Number.NaN;
  private day = '';

  /** Returns the rows for the frames of the next batch; the first call also returns the column titles. */
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

  /** Returns the column titles when `write` was never called, otherwise no bytes. */
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
