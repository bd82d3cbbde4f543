/** The words of Vector ASC that reading and writing share. */

/** Identifiers of 29 bits. */
export const ID_29 = 0x1fffffff;

/** Marks an error frame in an identifier, as candump writes it. */
export const ERROR_BIT = 0x20000000;

/** What is known of an error of which nothing is told: the error class "bus error" of SocketCAN. */
export const BUS_ERROR = 0x80;

/** Bits of the flags of a CANFD line. */
export const FLAG = { remote: 0x10, fd: 0x1000, brs: 0x2000 } as const;

/** What our comments say: dates have a zone, and buses that count from 0 have moved up by one. */
export const OUR = { zone: 'times are UTC', channel: 'channel 1 is can0' } as const;
