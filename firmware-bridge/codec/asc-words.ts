/** Constants that the reader and the writer of Vector ASC share. */

/** Mask of a 29-bit identifier. */
export const ID_29 = 0x1fffffff;

/** Bit 29 of an identifier, which marks an error frame in candump text. */
export const ERROR_BIT = 0x20000000;

/**
 * Identifier of a SocketCAN error frame of the class "bus error". The reader gives this class to every error frame, because an ASC file
 * does not say which error occurred.
 */
export const BUS_ERROR = 0x80;

/** Bits of the flags in a CANFD line. */
export const FLAG = { remote: 0x10, fd: 0x1000, brs: 0x2000 } as const;

/**
 * Comments that the writer of this project adds to the header. They say that all dates are UTC, and that each channel number is the bus
 * number plus one.
 */
export const OUR = { zone: 'times are UTC', channel: 'channel 1 is can0' } as const;
