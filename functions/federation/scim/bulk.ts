import { asAppError } from '../../../db/errors.ts';
import { scimErrorOf } from '../../../shared/http/serve/scim-form.ts';
import { scimError } from '../../../shared/identity/scim/errors.ts';
import { groupResource } from '../../../shared/identity/scim/groups.ts';
import type { PatchOperation } from '../../../shared/identity/scim/patch.ts';
import { bulkResponseSchema, mostOperations } from '../../../shared/identity/scim/urns.ts';
import { fieldsOf, userResource } from '../../../shared/identity/scim/users.ts';
import { nextTurn } from '../../../shared/kernel/concurrency/event-loop.ts';
import { AppError, conflict } from '../../../shared/kernel/errors.ts';
import { isId } from '../../../shared/kernel/ids.ts';
import { isObject } from '../../../shared/kernel/json/json.ts';
import { message } from '../../../shared/messages/message.ts';
import { type BulkOperation, BulkReferences } from './bulk-references.ts';
import { createGroup, deleteGroup, patchGroup, replaceGroup } from './groups.ts';
import { PatchRequest } from './messages.ts';
import type { ScimScope } from './scope.ts';
import { changeUser, createUser, deleteUser, patchUser, type Target } from './users.ts';

type Json = Record<string, unknown>;
/** The result of one operation. `meta` is that of the resource, if it exists afterwards. */
type Outcome = { status: number; meta?: { location: string; version: string } };
type Entry = Json & { status: string };

/**
 * Runs operations one after the other, each for itself. An operation that refers to a resource of a later one waits for it.
 * Ends before the first operation after the client has left, and after one that the database was not available for.
 * @throws AppError `body_too_large` for too many operations
 */
export async function runBulk(
  scope: ScimScope,
  operations: readonly BulkOperation[],
  failOnErrors: number,
): Promise<Json> {
  if (operations.length > mostOperations)
    throw new AppError(
      'body_too_large',
      message('A request can have at most {limit} operations', { limit: mostOperations }),
    );
  const gone = scope.ctx.gone();
  const references = new BulkReferences(operations);
  const entries: Entry[] = [];
  let failures = 0;
  for (
    let next = references.take();
    next && failures < failOnErrors && !gone.aborted;
    next = references.take()
  ) {
    const { operation, isBlocked } = next;
    const entry = await entryOf(scope, operation, async () => {
      if (isBlocked) throw conflict('bulk_id', 'The operation refers to a failed or circular `bulkId`');
      return perform(scope, operation, references);
    });
    entries.push(entry);
    const status = Number(entry.status);
    if (status === 503) break;
    if (status >= 400) failures++;
    // Operations that are refused before they reach the database take no turn of their own.
    await nextTurn();
  }
  return { schemas: [bulkResponseSchema], Operations: entries };
}

async function entryOf(
  { ctx, base }: ScimScope,
  { method, path, bulkId }: BulkOperation,
  run: () => Promise<Outcome>,
): Promise<Entry> {
  const named = { method: method.toUpperCase(), ...(bulkId && { bulkId }) };
  try {
    const { status, meta } = await run();
    const location = meta?.location ?? `${base}${path}`;
    return { ...named, location, ...(meta && { version: meta.version }), status: String(status) };
  } catch (error) {
    const problem = asAppError(error);
    if (problem.code === 'internal') ctx.log.error('internal', { request_id: ctx.requestId, error });
    const response = scimErrorOf(problem, ctx.language);
    const location = named.method === 'POST' ? undefined : `${base}${path}`;
    return { ...named, ...(location && { location }), status: response.status, response };
  }
}

type Kind = 'Users' | 'Groups';

async function perform(
  scope: ScimScope,
  operation: BulkOperation,
  references: BulkReferences,
): Promise<Outcome> {
  const method = operation.method.toUpperCase();
  const [, kind, name] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(operation.path) ?? [];
  const id = name === undefined ? undefined : references.resolved(name);
  if (kind === undefined || (method === 'POST') !== (id === undefined)) throw invalidPath();
  const data = references.resolvedIn(operation.data ?? {}) as Json;
  if (id === undefined) return create(scope, kind as Kind, data, (made) => references.note(operation, made));
  if (!isId(id)) throw new AppError('not_found');
  const target = { id: id.toLowerCase(), ifMatch: operation.version ?? undefined };
  return change(scope, kind as Kind, method, target, data);
}

const invalidPath = (): AppError => scimError('invalidPath', 'The path of the operation is not valid');

async function create(
  scope: ScimScope,
  kind: Kind,
  data: Json,
  note: (id: string) => void,
): Promise<Outcome> {
  const created =
    kind === 'Users'
      ? userResource(await createUser(scope, data), [], scope.base)
      : groupResource(await createGroup(scope, data), undefined, scope.base);
  note(String(created.id));
  return { status: 201, meta: metaOf(created) };
}

const metaOf = (resource: Json) => resource.meta as NonNullable<Outcome['meta']>;

async function change(
  scope: ScimScope,
  kind: Kind,
  method: string,
  target: Target,
  data: Json,
): Promise<Outcome> {
  switch (method) {
    case 'PUT':
    case 'PATCH':
      return kind === 'Users'
        ? changedUser(scope, method, target, data)
        : changedGroup(scope, method, target, data);
    case 'DELETE':
      await (kind === 'Users' ? deleteUser(scope, target) : deleteGroup(scope, target));
      return { status: 204 };
    default:
      throw new AppError('method_not_allowed');
  }
}

async function changedUser(
  scope: ScimScope,
  method: 'PUT' | 'PATCH',
  target: Target,
  data: Json,
): Promise<Outcome> {
  const row = await (method === 'PATCH'
    ? patchUser(scope, target, operationsIn(data))
    : changeUser(scope, target, (present) => fieldsOf(data, present)));
  return { status: 200, meta: metaOf(userResource(row, [], scope.base)) };
}

async function changedGroup(
  scope: ScimScope,
  method: 'PUT' | 'PATCH',
  target: Target,
  data: Json,
): Promise<Outcome> {
  if (method === 'PUT') {
    const row = await replaceGroup(scope, target, data);
    return { status: 200, meta: metaOf(groupResource(row, undefined, scope.base)) };
  }
  await patchGroup(scope, target, operationsIn(data));
  return { status: 204 };
}

function operationsIn(data: Json): PatchOperation[] {
  const { data: request, success } = PatchRequest.safeParse(isObject(data) ? data : {});
  if (!success) throw scimError('invalidSyntax', 'An operation must be add, replace or remove');
  return request.Operations;
}
