/** Errors of the bucket, by the names that S3 clients know (Amazon S3 API Reference, Error responses). */

const TABLE = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are malformed.'],
  BadDigest: [400, 'The content is not what its digest says.'],
  EntityTooLarge: [400, 'The object is larger than the bucket takes.'],
  EntityTooSmall: [400, 'Every part but the last has at least 5 MiB.'],
  IncompleteBody: [400, 'The body is not as long as announced.'],
  InternalError: [500, 'A fault of this gateway; its log holds it under the id of the request.'],
  InvalidAccessKeyId: [403, 'This access key is unknown, revoked, or ended after a roll.'],
  InvalidArgument: [400, 'An argument is not valid.'],
  InvalidDigest: [400, 'The digest is not valid.'],
  InvalidPart: [400, 'A part was not found, or has another ETag.'],
  InvalidPartOrder: [400, 'Parts are named in ascending order, each once.'],
  InvalidRange: [416, 'The range is not within the object.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidURI: [400, 'The path or the query cannot be read.'],
  KeyTooLongError: [400, 'The name of the object is too long.'],
  MalformedXML: [400, 'The XML is not well-formed, or not what this request takes.'],
  MetadataTooLarge: [400, 'The metadata of the object is too large.'],
  MethodNotAllowed: [405, 'The method is not allowed here.'],
  MissingContentLength: [411, 'Send Content-Length.'],
  NoSuchBucket: [404, 'There is no such bucket.'],
  NoSuchKey: [404, 'There is no such object.'],
  NoSuchUpload: [404, 'There is no such upload: completed, given up, expired or never begun.'],
  NotImplemented: [501, 'This bucket does not do that.'],
  OperationAborted: [409, 'Another request does the same right now.'],
  PreconditionFailed: [412, 'The object is not as the request demands.'],
  RequestTimeTooSkewed: [403, 'The clock of the sender and that of the gateway are too far apart.'],
  RequestTimeout: [400, 'The body came too slowly.'],
  SignatureDoesNotMatch: [403, 'The signature does not fit the request and its key.'],
  SlowDown: [503, 'Try again later.'],
  XAmzContentSHA256Mismatch: [400, 'The content is not what x-amz-content-sha256 says.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;
export type BucketErrorCode = keyof typeof TABLE;

/** What a sender is told; `more` are further elements of the XML. */
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
