import { vi } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { freshDatabase } from '../database/database.ts';
import { newSecretKey } from '../identity/signing-keys.ts';
import type { Answer, Asking } from '../workers/local-workers.ts';
import { configure, functionVariables } from './environment.ts';
import { eventOf } from './events.ts';
import { moduleAt } from './module-routes.ts';
import { awslambda, type Handler, invoke } from './runtime.ts';

export type LocalFunctions = {
  send(route: string, asking?: Asking): Promise<Answer>;
  stop(): Promise<void>;
};

/**
 * Every module as a Lambda function in this process, on a separate database with the administrator `admin`. The
 * environment of the process is theirs, so a file with them runs alone.
 */
export async function startFunctions(
  adminPassword: string,
  variables: Record<string, string> = {},
): Promise<LocalFunctions> {
  const [database, bundles] = await Promise.all([freshDatabase(), cachedBundles('lambda')]);
  const { db, close } = connectPg({ url: database.url });
  await prepareInstallation(db, createHasher({ cost: 2 ** 4 }), adminPassword).finally(close);
  vi.stubGlobal('awslambda', awslambda);
  configure({ ...functionVariables(database.url), SECRET_KEY: newSecretKey(), ...variables });
  const loaded = new Map<string, Handler>();
  const handlerAt = async (path: string): Promise<Handler> => {
    const module = moduleAt(path);
    const known = loaded.get(module);
    if (known) return known;
    const file = bundles.find((bundle) => bundle.module === module)?.file;
    const { handler } = await import(/* @vite-ignore */ `file://${file}?${database.url}`);
    loaded.set(module, handler);
    return handler;
  };
  return {
    send: async (route, asking) => {
      const event = eventFor(route, asking);
      const result = await invoke(await handlerAt(event.rawPath), event);
      const headers = new Headers(result.headers);
      for (const cookie of result.cookies ?? []) headers.append('set-cookie', cookie);
      const isJson = headers.get('content-type')?.includes('json') && result.body !== '';
      return {
        ...{ status: result.statusCode, headers },
        body: isJson ? JSON.parse(result.body) : result.body,
      };
    },
    stop: async () => {
      vi.unstubAllEnvs();
      vi.unstubAllGlobals();
      await database.drop();
    },
  };
}

/** A body is JSON unless it is text. */
function eventFor(route: string, { token, body, headers }: Asking = {}) {
  const [method = 'GET', target = '/'] = route.split(' ');
  const [path = '/', query = ''] = target.split('?');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return eventOf({
    ...{ method, path, query, sourceIp: '198.51.100.7' },
    headers: {
      host: 'portal.example',
      ...(token && { 'x-auth-token': token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text !== undefined && { body: Buffer.from(text) }),
  });
}
