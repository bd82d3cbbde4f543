/** Appends messages to a spool until it is killed, and says each number once it is in: `node spool-child.ts FOLDER`. */
import { writeSync } from 'node:fs';
import { openSpool } from '#bridge/spool.ts';

const spool = openSpool({ folder: process.argv[2] ?? '', log() {} });
for (;;) {
  const n = spool.nextNumber;
  const payload = Buffer.alloc(200, n % 251);
  if (!spool.append({ kind: 'can', payload, frames: 1, first_us: n, last_us: n })) break;
  writeSync(1, `${n}\n`);
  if (n % 3 === 0) {
    const message = spool.next();
    if (message !== undefined) spool.acknowledge(message.n);
  }
}
