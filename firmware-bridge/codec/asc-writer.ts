/** Writes frames as Vector ASC (`asc.ts` reads it). */
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { formatAscDate } from './asc-date.ts';
import { BUS_ERROR, ERROR_BIT, FLAG, ID_29, OUR } from './asc-words.ts';
import { lengthCode } from './fd-lengths.ts';
import { TextOut } from './text-out.ts';
import { FIRST_DATE_US } from './times.ts';

const SPACE = 32;

/** Writes frames as Vector ASC, batch by batch. It writes the data of error frames as comments, because ASC has no form for them. */
export class AscWriter {
  private start_us: number | undefined;
  /**
   * This number is added to each bus number, because ASC has no channel 0. It is 1 if the bus numbers of the first batch start at 0,
   * otherwise 0.
   */
  private above = 0;

  /** Returns the text for the frames of the next batch; the first call also returns the header. */
  write(batch: FrameBatch): Uint8Array {
    const out = new TextOut(Math.max(512, batch.count * 64));
    const { count, t, bus, id, flags } = batch;
    if (count > 0 && this.start_us === undefined) this.begin(out, batch);
    for (let i = 0; i < count; i++)
      this.put(
        out,
        Math.round(t[i] as number) - (this.start_us as number),
        bus[i] as number,
        id[i] as number,
        flags[i] as number,
        batch.payload(i),
      );
    return out.take();
  }

  /** Returns the end of the file, which is its last line. */
  end(): Uint8Array {
    const out = new TextOut();
    if (this.start_us === undefined) this.begin(out, new FrameBatch(1));
    out.text('End TriggerBlock\n');
    return out.take();
  }

  private begin(out: TextOut, { count, t, bus }: FrameBatch): void {
    const first = count > 0 ? (t[0] as number) : 0;
    // If the frames have no date, the header gets the date 1970-01-01. The ASC reader knows from this date that the times count from the
    // start of the recording.
    this.start_us = first < FIRST_DATE_US ? 0 : Math.floor(first / 1e6) * 1e6;
    this.above = bus.subarray(0, count).includes(0) ? 1 : 0;
    const date = formatAscDate(this.start_us);
    out.text(`date ${date}\nbase hex  timestamps absolute\nno internal events logged\n// version 9.0.0\n`);
    out.text(`// written by Headframe: ${OUR.zone}${this.above === 1 ? `, ${OUR.channel}` : ''}\n`);
    if (this.start_us === 0) out.text('// the recording has no date: times count from its beginning\n');
    out.text(`Begin Triggerblock ${date}\n   0.000000 Start of measurement\n`);
  }

  private put(out: TextOut, us: number, bus: number, id: number, flags: number, data: Uint8Array): void {
    // Bus 0 that first appears in a later batch is written as 256, which the reader reads as 0.
    const channel = bus + this.above || 256;
    const error = (flags & FRAME.error) !== 0;
    const sent = (flags & FRAME.transmitted) !== 0;
    if (error && (id !== BUS_ERROR || data.length > 0 || sent)) {
      out.text('// error frame ');
      out.hex((id & ID_29) + ERROR_BIT, 8);
      out.text('#');
      out.pairs(data, false);
      out.text(sent ? ' T\n' : '\n');
    }
    if (us < 0) {
      out.text('-');
      out.seconds(-us);
    } else out.seconds(us, 4, SPACE);
    if (error) out.text(` ${channel}  ErrorFrame\n`);
    else if (flags & FRAME.fd) putFd(out, channel, id, flags, data);
    else {
      out.text(` ${channel}  `);
      out.text(idText(id, flags).padEnd(15));
      out.text(sent ? ' Tx   ' : ' Rx   ');
      out.text(flags & FRAME.remote ? `r ${data.length}` : `d ${data.length} `);
      if ((flags & FRAME.remote) === 0) out.pairs(data, true);
      out.text('\n');
    }
  }
}

function idText(id: number, flags: number): string {
  return id.toString(16).toUpperCase() + (flags & FRAME.extended ? 'x' : '');
}

function putFd(out: TextOut, channel: number, id: number, flags: number, data: Uint8Array): void {
  const brs = flags & FRAME.brs ? 1 : 0;
  out.text(` CANFD ${String(channel).padStart(3)} ${flags & FRAME.transmitted ? 'Tx' : 'Rx'}   `);
  out.text(`${idText(id, flags).padStart(9)}  ${' '.repeat(32)} ${brs} 0 `);
  out.text(`${lengthCode(data.length).toString(16)} ${String(data.length).padStart(2)} `);
  out.pairs(data, true);
  // The words at the end of a CANFD line: duration, number of bits, flags, checksum and four words of bit timing. The writer knows only the
  // flags and writes 0 for the others.
  out.text(`        0    0 ${(FLAG.fd | (brs ? FLAG.brs : 0)).toString(16).padStart(8)}        0 0 0 0 0\n`);
}
