type Extras = {
  headers?: Record<string, string>;
  /** Values of `Set-Cookie`, one header for each. */
  cookies?: readonly string[];
  revision?: number | undefined;
  status?: 200 | 302 | 303 | 400 | 503;
  isCompressible?: boolean;
  endsWithAccess?: boolean;
};

/** A response with more than a body. */
export class Answer<Body = unknown> {
  readonly body: Body;
  readonly headers: Record<string, string>;
  readonly cookies: readonly string[];
  /** Number of writes of the object: the first part of its ETag. */
  readonly revision: number | undefined;
  /** Set only if the operation declares a second response. */
  readonly status: 200 | 302 | 303 | 400 | 503 | undefined;
  /** The body contains no secret, so its compressed length may depend on its content. */
  readonly isCompressible: boolean;

  constructor(body: Body, extras: Extras = {}) {
    this.body = body;
    this.headers = extras.headers ?? {};
    this.cookies = extras.cookies ?? [];
    this.revision = extras.revision;
    this.status = extras.status;
    this.isCompressible = extras.isCompressible ?? false;
  }

  /** Returns the same response with these members: secrets that are returned once. */
  showing(members: Record<string, string>): Answer {
    return new Answer({ ...this.body, ...members }, { headers: this.headers, revision: this.revision });
  }
}

export type Content = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A response of another media type than JSON: an error page, metrics, a picture, or a file that is streamed. */
export class Document extends Answer<Content> {
  readonly mediaType: string;
  /** The stream ends by itself when the access of the caller ends. */
  readonly endsWithAccess: boolean;

  constructor(
    body: Content,
    mediaType: string,
    headers: Record<string, string> = {},
    extras: Pick<Extras, 'cookies' | 'isCompressible' | 'endsWithAccess'> = {},
  ) {
    super(body, { headers, ...extras });
    this.mediaType = mediaType;
    this.endsWithAccess = extras.endsWithAccess ?? false;
  }
}

/**
 * Adds the charset to a JSON media type. JSON is always UTF-8 (RFC 8259), but some clients read it as Latin-1 if no
 * charset is given, for example Windows PowerShell 5.1.
 */
export const withCharset = (mediaType: string): string =>
  /^application\/([\w.-]+\+)?(json|x-ndjson)$/.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType;

/** Default headers of every response. */
export const headersOfAll = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
});

/** True for a document that is read while it is sent. */
export const isStream = (result: unknown): result is Document & { body: ReadableStream<Uint8Array> } =>
  result instanceof Document && result.body instanceof ReadableStream;
