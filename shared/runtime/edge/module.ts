import type { Db } from '../../../db/client.ts';
import type { HttpDeps } from '../../http/context.ts';
import type { Invocation } from '../../http/invocation.ts';
import { headersOfAll, problemResponse } from '../../http/problem.ts';
import { traceOf } from '../../http/request-ids.ts';
import type { ModuleApp } from '../../http/serve/app.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { WriteWitness } from '../../kernel/observability/write-witness.ts';
import { secretKeyGate } from '../config/secret-key.ts';
import type { Ingredients } from '../deps.ts';
import { createLog } from '../log.ts';
import type { Demand } from './config.ts';

/** One module as it is deployed by itself: its app, what that depends on, and the variables it cannot do without. */
export type Assembly<D extends HttpDeps> = {
  create: (deps: D) => ModuleApp;
  depsOf: (given: Ingredients) => Promise<D>;
  demands?: readonly Demand[];
  /** Where it must be known whether the database accepts writes. */
  watchWrites?: (db: Db, log: Log) => WriteWitness;
  /** What a schedule of the platform starts once a minute. */
  everyMinute?: (deps: D) => Promise<void>;
};

/** An assembly that has been built for one environment. */
export type Built<D extends HttpDeps> = { app: ModuleApp; deps: D };

/** Builds a module; its first requests compare `SECRET_KEY` with the database. @throws ConfigError */
export async function buildModule<D extends HttpDeps>(
  { create, depsOf }: Assembly<D>,
  ingredients: Ingredients,
): Promise<Built<D>> {
  const plain = await depsOf(ingredients);
  const deps = { ...plain, verifyKeys: secretKeyGate(plain) };
  return { app: create(deps), deps };
}

/** @throws what building or the work throws, so that the platform knows of it; one line of the log says why */
export async function runScheduled<D extends HttpDeps>(
  build: () => Promise<Built<D>>,
  work: (deps: D) => Promise<void>,
): Promise<void> {
  try {
    const { deps } = await build();
    const unchecked = await deps.verifyKeys?.();
    if (unchecked !== undefined) throw unchecked;
    await work(deps);
  } catch (error) {
    createLog().error('what was scheduled failed', whyOf(error));
    throw error;
  }
}

/** Serves a request by an app that may not have been built yet; one that cannot be built answers 500. */
export async function serveBuilt(
  build: () => Promise<ModuleApp>,
  request: Request,
  invocation: Invocation,
): Promise<Response> {
  try {
    const app = await build();
    return await app.fetch(request, invocation);
  } catch (error) {
    return refuse(request, error);
  }
}

/** Whoever asks learns nothing; one line of the log names the variables. */
function refuse(request: Request, error: unknown): Response {
  const { requestId } = traceOf(request.headers);
  createLog().error('the module cannot start', { request_id: requestId, ...whyOf(error) });
  return problemResponse(new AppError('internal'), requestId, headersOfAll(requestId));
}

const whyOf = (error: unknown): Record<string, unknown> =>
  error instanceof ConfigError ? { faults: error.message.split('\n') } : { error };
