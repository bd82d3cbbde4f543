/** Hexadecimal digits in text, by their character codes. */

/** The entry of `HEX` for a byte that is no digit. */
export const NOT_HEX = 255;

/** The value of each character as a digit, in either case. */
export const HEX = new Uint8Array(256).fill(NOT_HEX);
for (let i = 0; i < 10; i++) HEX[48 + i] = i;
for (let i = 0; i < 6; i++) {
  HEX[65 + i] = 10 + i;
  HEX[97 + i] = 10 + i;
}
