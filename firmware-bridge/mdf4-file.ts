/** Writes an MDF 4.1 file, for `convert --to mf4`. The file is a valid MDF file only after the call of `end`. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { createMdf4Writer, type Mdf4Writer, type Mdf4WriterOptions } from '#codec/mdf4/writer.ts';

/**
 * Creates a writer for the file `path`; an existing file is overwritten. `end` changes the header at the start of the file. A writer cannot
 * change earlier bytes of a pipe, so output to a pipe needs a temporary file. The writer throws a system error when the disk fails.
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
