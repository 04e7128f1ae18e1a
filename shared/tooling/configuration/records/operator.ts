import { hostname, userInfo } from 'node:os';
import type { Db } from '../../../../db/client.ts';
import { asAppError } from '../../../../db/errors.ts';
import { findOverrides } from '../../../../db/repositories/settings/system-parameters.ts';
import { createWebui } from '../../../../functions/webui/app.ts';
import type { WebuiDeps } from '../../../../functions/webui/deps.ts';
import { admit } from '../../../access/guard.ts';
import { permissions } from '../../../context/permissions.ts';
import type { OperatorPrincipal } from '../../../context/principal.ts';
import { newTrace } from '../../../context/trace.ts';
import type { RequestCtx } from '../../../http/context.ts';
import type { Operation, RawInput } from '../../../http/declare/operation.ts';
import { Answer } from '../../../http/serve/answer.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Parameters, parametersFrom } from '../../../kernel/system-parameters.ts';

type CallInput = Partial<Pick<RawInput, 'params' | 'query' | 'body' | 'conditions'>>;
type Body = Record<string, unknown>;

/** Runs operations of the administration as `system:apply`, with the permissions of an administrator of all sites. */
export type Operator = {
  /** @throws AppError of the operation */
  call(id: string, input?: CallInput): Promise<Answer<Body>>;
  /** Returns an operator for a transaction handle. */
  on(handle: Db): Operator;
  db: Db;
};

/** @param requestId request id of all audit events of the run */
export async function createOperator(deps: WebuiDeps, requestId = newId()): Promise<Operator> {
  const operations = new Map(createWebui(deps).operations.map((operation) => [operation.id, operation]));
  const parameters = parametersFrom(await findOverrides(deps.db));
  const on = (handle: Db): Operator => ({
    db: handle,
    on,
    call: async (id, { params = {}, query = {}, body, conditions = {} } = {}) => {
      const operation = operations.get(id) as Operation<WebuiDeps> | undefined;
      if (!operation) throw new Error(`${id} is not an operation`);
      const ctx = contextOf({ ...deps, db: handle }, operation, parameters, requestId);
      const result = await operation
        .run(ctx, { params, query, body, conditions, faults: [], isHead: false })
        .catch(refused);
      return (result instanceof Answer ? result : new Answer(result)) as Answer<Body>;
    },
  });
  return on(deps.db);
}

/** Converts errors of failed batches to the problems of the API. */
function refused(error: unknown): never {
  const problem = asAppError(error);
  throw problem.code === 'internal' ? error : problem;
}

const principal = (): OperatorPrincipal => ({
  kind: 'operator',
  name: 'system:apply',
  operator: userInfo().username,
  host: hostname(),
  portal: 'admin',
  roles: [{ id: '', name: 'operator', permissions: [...permissions], scope: { sites: '*' } }],
});

/** The client data of the request is empty. */
function contextOf(
  deps: WebuiDeps,
  operation: Operation<WebuiDeps>,
  parameters: Parameters,
  requestId: string,
): RequestCtx<WebuiDeps> {
  const own = principal();
  const writes = operation.method !== 'GET' && !operation.readsOnly;
  const ended = new AbortController();
  return {
    deps,
    principal: own,
    parameters,
    scope: admit(own, { ...operation, writes }),
    language: 'en',
    requestId,
    trace: { ...newTrace(), requestId },
    client: {
      ip: '',
      secure: true,
      loopback: true,
      userAgent: '',
      accepted: '',
      isOwnPage: () => false,
      cookies: () => new Map(),
    },
    operation: { id: operation.id, method: operation.method, path: operation.path },
    bearer: undefined,
    watchedToken: () => undefined,
    lastEventId: undefined,
    accepts: () => false,
    log: deps.log,
    now: deps.clock(),
    gone: () => ended.signal,
    background: () => undefined,
    upstream: async (work) => work(),
    later: () => undefined,
  };
}
