/** Generated traffic of a machine, for the tests of pages that show its buses. */
import { formatCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { encodeDm1, encodeGroup, framesOf, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { PGN } from '#domain/j1939/identifier.ts';
import { encodeName } from '#domain/j1939/name.ts';
import { ENGINE_NAME } from '#test/support/engine-name.ts';

const text = (words: string) => new TextEncoder().encode(words);

/** Frames of a machine with an engine, a transmission and an unknown control unit. */
export function traffic(from_ms: number, seconds: number): Uint8Array {
  const batch = new FrameBatch();
  const put = (ms: number, id: number, data: Uint8Array, bus = 0) =>
    pushFrame(batch, (from_ms + ms) * 1000, bus, id, data);
  put(0, identifier(6, PGN.addressClaim, 0), encodeName(ENGINE_NAME));
  for (const [pgn, payload] of [
    [PGN.vehicleIdentification, text('1HGBH41JXMN109186*')],
    [PGN.componentIdentification, text('CMMNS*QSK19*37201455**')],
  ] as const) {
    for (const { after_us, id, data } of framesOf(6, pgn, 0, payload)) put(5 + after_us / 1000, id, data);
  }
  for (let ms = 0; ms < seconds * 1000; ms += 10) {
    // Pairs of frames with the spacing of 250 kbit/s: the gateway estimates the bit rate from it.
    put(ms, identifier(3, 61444, 0), encodeGroup(61444, { 190: 1400 + (ms % 7) }));
    put(ms + 0.58, identifier(3, 61442, 3), new Uint8Array(8).fill(0x10));
    if (ms % 50 === 0) put(ms + 2, identifier(6, 0xff31, 0x9c), new Uint8Array(8));
    if (ms % 1000 === 0) {
      const lamps = { amber: true };
      for (const frame of framesOf(6, PGN.dm1, 0, encodeDm1(lamps, [{ spn: 110, fmi: 16, count: 3 }])))
        put(ms + 5, frame.id, frame.data);
      put(ms + 6, 0x123 | 0x1ff00000, new Uint8Array(8), 1);
      // SPN 1208 in conversion method 2, with the bit that does not identify the method.
      put(ms + 7, identifier(6, PGN.dm1, 3), Uint8Array.from([4, 0xff, 0x97, 0, 3, 0x8a, 0xff, 0xff]));
    }
  }
  return formatCandump(batch);
}
