import type { Db } from '../../../db/client.ts';
import { traceOf } from '../../context/trace.ts';
import type { HttpDeps } from '../../http/context.ts';
import type { Invocation } from '../../http/invocation.ts';
import { problemResponse } from '../../http/problem.ts';
import { headersOfAll } from '../../http/serve/answer.ts';
import type { ModuleApp } from '../../http/serve/app.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { WriteMonitor } from '../../kernel/observability/write-monitor.ts';
import { secretKeyGate } from '../config/secret-key.ts';
import type { RuntimeParts } from '../deps.ts';
import { createLog } from '../log.ts';
import type { RequiredVariable } from './config.ts';

/** A module for separate deployment: its app, dependencies, and required variables. */
export type Assembly<D extends HttpDeps> = {
  create: (deps: D) => ModuleApp;
  depsOf: (parts: RuntimeParts) => Promise<D>;
  demands?: readonly RequiredVariable[];
  /** For modules that report whether the database accepts writes. */
  monitorWrites?: (db: Db, log: Log) => WriteMonitor;
  /** Work that a platform schedule starts once a minute. */
  everyMinute?: (deps: D) => Promise<void>;
};

/** An assembly built for one environment. */
export type BuiltModule<D extends HttpDeps> = { app: ModuleApp; deps: D };

/** Builds a module. Its first requests verify `SECRET_KEY` with the database. @throws ConfigError */
export async function buildModule<D extends HttpDeps>(
  { create, depsOf }: Assembly<D>,
  ingredients: RuntimeParts,
): Promise<BuiltModule<D>> {
  const plain = await depsOf(ingredients);
  const deps = { ...plain, verifyKeys: secretKeyGate(plain) };
  return { app: create(deps), deps };
}

/** @throws the error of the build or the work, so that the platform registers the failure; it is also logged */
export async function runScheduled<D extends HttpDeps>(
  build: () => Promise<BuiltModule<D>>,
  work: (deps: D) => Promise<void>,
): Promise<void> {
  try {
    const { deps } = await build();
    const unchecked = await deps.verifyKeys?.();
    if (unchecked !== undefined) throw unchecked;
    await work(deps);
  } catch (error) {
    createLog().error('a scheduled run failed', whyOf(error));
    throw error;
  }
}

/** Serves a request with an app that is built on first use. A failed build results in 500. */
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

/** The client gets no details; the log contains the names of the variables. */
function refuse(request: Request, error: unknown): Response {
  const { requestId } = traceOf(request.headers);
  createLog().error('the module cannot start', { request_id: requestId, ...whyOf(error) });
  return problemResponse(new AppError('internal'), requestId, headersOfAll(requestId));
}

const whyOf = (error: unknown): Record<string, unknown> =>
  error instanceof ConfigError ? { faults: error.message.split('\n') } : { error };
