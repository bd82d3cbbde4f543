/** A table that converts the character code of a hexadecimal digit to its value. */

/** The entry of `HEX` for a character that is not a hexadecimal digit. */
export const NOT_HEX = 255;

/** The value (0 to 15) of each hexadecimal digit by its character code, for upper and lower case. */
export const HEX = new Uint8Array(256).fill(NOT_HEX);
for (let i = 0; i < 10; i++) HEX[48 + i] = i;
for (let i = 0; i < 6; i++) {
  HEX[65 + i] = 10 + i;
  HEX[97 + i] = 10 + i;
}
