/** The only error that reading a message of the other end throws. */

/**
 * not_sync: the bytes are no message of this protocol, for example the sign-in page of a hotel network. protocol_unsupported: another version
 * of the protocol. message_damaged: some bytes were changed on the way, or the message breaks a rule of its form. message_too_large: it is
 * larger than a message may be.
 */
export type WireCode = 'not_sync' | 'protocol_unsupported' | 'message_damaged' | 'message_too_large';

export class WireError extends Error {
  readonly code: WireCode;
  constructor(code: WireCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WireError';
    this.code = code;
  }
}

export const damaged = (what: string): WireError =>
  new WireError('message_damaged', `The message is damaged: ${what}.`);
