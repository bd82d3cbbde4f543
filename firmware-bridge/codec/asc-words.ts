/** Constants of Vector ASC for the reader and the writer. */

/** Mask of a 29-bit identifier. */
export const ID_29 = 0x1fffffff;

/** Marks an error frame in an identifier, as candump writes it. */
export const ERROR_BIT = 0x20000000;

/** The error class of SocketCAN for an error without details: "bus error". */
export const BUS_ERROR = 0x80;

/** Bits of the flags in a CANFD line. */
export const FLAG = { remote: 0x10, fd: 0x1000, brs: 0x2000 } as const;

/** Comments that our writer adds: the dates are UTC, and the channels are the bus numbers plus one. */
export const OUR = { zone: 'times are UTC', channel: 'channel 1 is can0' } as const;
