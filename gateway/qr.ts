/** Draws texts as QR codes (ISO/IEC 18004). The gateway draws them, so that web pages need no QR library. */
import { encode } from 'uqr';
import type { QrCode } from '#contract/site/live.ts';

/**
 * A margin of four modules, which the standard requires. With error correction level M a phone can still read a code that is partly covered
 * by a fingerprint on the screen, and the code has enough capacity for a long address.
 */
const SHAPE = { border: 4, ecc: 'M' } as const;

/** Returns the QR code of a text; undefined if the text is too long for a QR code. */
export function qrCode(text: string): QrCode | undefined {
  let drawn: ReturnType<typeof encode>;
  try {
    drawn = encode(text, SHAPE);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const { data, size } = drawn;
  let path = '';
  data.forEach((row, y) => {
    for (let x = 0; x < size; x++) {
      const from = x;
      while (row[x]) x++;
      if (x > from) path += `M${from} ${y}h${x - from}v1h-${x - from}z`;
    }
  });
  return { size, path };
}

/** Returns the QR code of a text as an SVG document; null if the text is too long for a QR code. */
export function qrSvg(text: string): string | null {
  const code = qrCode(text);
  if (code === undefined) return null;
  const { size, path } = code;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
