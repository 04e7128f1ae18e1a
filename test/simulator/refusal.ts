import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** The error response of the node: a status and a JSON body `{ code, detail, … }`. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly body: Record<string, unknown>;

  constructor(status: ContentfulStatusCode, code: string, detail: string, members: object = {}) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.body = { code, detail, ...members };
  }
}

export const unknownRow = (): Refusal => new Refusal(404, 'not_found', 'The object does not exist');

export const wrongState = (reason: string, detail: string): Refusal =>
  new Refusal(409, 'invalid_state', detail, { reason });
