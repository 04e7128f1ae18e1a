import { jsonInTurns } from '../../kernel/json/write.ts';
import type { HttpDeps } from '../context.ts';
import type { Operation, Shape } from '../declare/operation.ts';
import { Answer, type Content, Document, withCharset } from './answer.ts';
import { type Coding, codingOf, encoded } from './compression.ts';
import { etagOf, isUnchanged } from './conditions.ts';
import type { Served } from './request-context.ts';

export const safeMethods: readonly string[] = ['GET', 'HEAD'];

/** Renders the result of an operation. */
export async function respond(
  c: Served,
  deps: HttpDeps,
  operation: Pick<Operation, 'returns' | 'orReturns' | 'id' | 'protocol'>,
  result: unknown,
): Promise<Response> {
  const answer = result instanceof Answer ? result : new Answer(result);
  const [status, shape] = declaredFor(operation, answer);
  const isDocument = answer instanceof Document;
  const headers = new Headers(answer.headers);
  for (const cookie of answer.cookies) headers.append('set-cookie', cookie);
  if (answer.revision !== undefined) headers.set('etag', etagOf(answer.revision, answer.body));
  const coding = deps.compression && codingOf(c, answer);
  if (deps.compression && answer.isCompressible) headers.append('vary', 'accept-encoding');
  if (isKnown(c, headers, coding)) return new Response(null, { status: 304, headers });
  if (deps.checkAnswers && !isDocument) await assertDeclared(operation.id, shape, answer.body);
  if (!isDocument && shape === null) return new Response(null, { status, headers });
  headers.set('content-type', withCharset(isDocument ? answer.mediaType : jsonTypeOf(operation)));
  const content = isDocument ? answer.body : await jsonTextOf(operation, answer.body);
  const body =
    coding && deps.compression ? await encoded(deps.compression, content, coding, headers) : content;
  return new Response(forConnection(c, body), { status, headers });
}

const forConnection = ({ env: { streamed } }: Served, body: Content): Content =>
  streamed && body instanceof ReadableStream ? streamed(body) : body;

/** A group has up to 50,000 members in one response. */
const jsonTextOf = ({ protocol }: Pick<Operation<never>, 'protocol'>, body: unknown) =>
  protocol === 'scim' ? jsonInTurns(body) : JSON.stringify(body);

/** The media type of responses in JSON, without its charset. */
export const jsonTypeOf = ({ protocol }: Pick<Operation<never>, 'protocol'>): string =>
  protocol === 'scim' ? 'application/scim+json' : 'application/json';

/**
 * True if the caller already has the response. A compressed response has a weak tag, because its bytes differ (RFC
 * 9110, 8.8.1).
 */
function isKnown(c: Served, headers: Headers, coding: Coding | undefined): boolean {
  const etag = headers.get('etag');
  if (etag === null) return false;
  if (coding && !etag.startsWith('W/')) headers.set('etag', `W/${etag}`);
  return (
    safeMethods.includes(c.req.method) && isUnchanged({ ifNoneMatch: c.req.header('if-none-match') }, etag)
  );
}

function declaredFor(
  { returns, orReturns }: Pick<Operation, 'returns' | 'orReturns'>,
  { status }: Answer,
): readonly [status: number, shape: Shape | null] {
  return status !== undefined && orReturns ? orReturns : returns;
}

/** Fails a test if the response does not match its declaration. */
async function assertDeclared(id: string, shape: Shape | null, body: unknown): Promise<void> {
  const checked = await shape?.safeParseAsync(
    body === undefined ? undefined : JSON.parse(JSON.stringify(body)),
  );
  if (checked?.error) throw new Error(`${id} answers what it does not declare: ${checked.error.message}`);
}
