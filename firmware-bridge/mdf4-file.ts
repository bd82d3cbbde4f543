/** Writes an MDF 4.1 file: what `convert --to mf4` gives and other tools open. It is whole after `end`; before that it is no log yet. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { createMdf4Writer, type Mdf4Writer, type Mdf4WriterOptions } from '#codec/mdf4/writer.ts';

/**
 * A writer to a new file at `path`, over whatever was there. The header and the data are tied together by writing back, so this needs a
 * file: what goes to a pipe is written to a file first. Throws the system's error where the disk fails.
 */
export function createMdf4File(path: string, options: Mdf4WriterOptions): Mdf4Writer & Disposable {
  const file = openSync(path, 'w');
  let end = 0;
  const write = (bytes: Uint8Array, at: number) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
  };
  try {
    const sink = {
      write(bytes: Uint8Array) {
        write(bytes, end);
        end += bytes.length;
      },
      patch: (at: number, bytes: Uint8Array) => write(bytes, at),
    };
    const writer = createMdf4Writer(sink, (bytes) => deflateSync(bytes), options);
    return Object.assign(writer, { [Symbol.dispose]: () => closeSync(file) });
  } catch (error) {
    closeSync(file);
    throw error;
  }
}
