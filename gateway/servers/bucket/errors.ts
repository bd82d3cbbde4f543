/** Errors of the bucket, with the codes of S3 (Amazon S3 API Reference, "Error Responses"). */

const TABLE = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are malformed.'],
  BadDigest: [400, 'The content does not match its digest.'],
  EntityTooLarge: [400, 'The object is larger than the bucket accepts.'],
  EntityTooSmall: [400, 'Every part except the last must have at least 5 MiB.'],
  IncompleteBody: [400, 'The body does not have the length that the header states.'],
  InternalError: [500, 'The gateway failed. Its log has the cause under the request id.'],
  InvalidAccessKeyId: [403, 'This access key is unknown or revoked, or a new key pair of the device has replaced it.'],
  InvalidArgument: [400, 'An argument is not valid.'],
  InvalidDigest: [400, 'The digest is not valid.'],
  InvalidPart: [400, 'A part was not found, or has another ETag.'],
  InvalidPartOrder: [400, 'List each part once, in ascending order of part numbers.'],
  InvalidRange: [416, 'The range is not within the object.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidURI: [400, 'The path or the query cannot be read.'],
  KeyTooLongError: [400, 'The object key is too long.'],
  MalformedXML: [400, 'The XML is not well-formed, or its elements do not fit this request.'],
  MetadataTooLarge: [400, 'The metadata of the object is too large.'],
  MethodNotAllowed: [405, 'The method is not allowed here.'],
  MissingContentLength: [411, 'Send Content-Length.'],
  NoSuchBucket: [404, 'There is no such bucket.'],
  NoSuchKey: [404, 'There is no such object.'],
  NoSuchUpload: [404, 'There is no such upload: it is unknown, completed, aborted or expired.'],
  NotImplemented: [501, 'This bucket does not support this request.'],
  OperationAborted: [409, 'Another request changes the same object or upload at this moment.'],
  PreconditionFailed: [412, 'The object does not meet a condition of the request.'],
  RequestTimeTooSkewed: [403, 'The clocks of the client and of the gateway differ too much.'],
  RequestTimeout: [400, 'The body arrived too slowly.'],
  SignatureDoesNotMatch: [403, 'The signature does not match the request and its key.'],
  SlowDown: [503, 'Try again later.'],
  XAmzContentSHA256Mismatch: [400, 'The content does not match x-amz-content-sha256.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;
export type BucketErrorCode = keyof typeof TABLE;

/** An error that the bucket sends as XML. `more` has further elements of the XML, such as `Key`. */
export class BucketError extends Error {
  readonly code: BucketErrorCode;
  readonly more: Readonly<Record<string, string>>;
  constructor(code: BucketErrorCode, message: string = TABLE[code][1], more: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'BucketError';
    this.code = code;
    this.more = more;
  }
  get status(): number {
    return TABLE[this.code][0];
  }
}
