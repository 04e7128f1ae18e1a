type Extras = {
  headers?: Record<string, string>;
  revision?: number | undefined;
  status?: 200 | 503;
  isCompressible?: boolean;
};

/** An answer that says more than its body. */
export class Answer<Body = unknown> {
  readonly body: Body;
  readonly headers: Record<string, string>;
  /** The writes of the object: the first half of its ETag. */
  readonly revision: number | undefined;
  /** Only where the operation declares a second success, or that it may be unavailable. */
  readonly status: 200 | 503 | undefined;
  /** It has no secret, so that its length may depend on its content. */
  readonly isCompressible: boolean;

  constructor(body: Body, extras: Extras = {}) {
    this.body = body;
    this.headers = extras.headers ?? {};
    this.revision = extras.revision;
    this.status = extras.status;
    this.isCompressible = extras.isCompressible ?? false;
  }

  /** The same answer with these members: secrets that are shown once. */
  showing(members: Record<string, string>): Answer {
    return new Answer({ ...this.body, ...members }, { headers: this.headers, revision: this.revision });
  }
}

export type Content = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A document of another media type than JSON: an error page, metrics, a picture, a file that is read as it is sent. */
export class Document extends Answer<Content> {
  readonly mediaType: string;

  constructor(
    body: Content,
    mediaType: string,
    headers: Record<string, string> = {},
    extras: Pick<Extras, 'isCompressible'> = {},
  ) {
    super(body, { headers, ...extras });
    this.mediaType = mediaType;
  }
}

/** What every answer carries, unless it says otherwise itself. */
export const headersOfAll = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
});

/** True for a document that is read while it is sent. */
export const isStream = (result: unknown): result is Document & { body: ReadableStream<Uint8Array> } =>
  result instanceof Document && result.body instanceof ReadableStream;
