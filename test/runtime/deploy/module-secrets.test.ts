import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { edgeNames } from '../../../shared/runtime/edge/config.ts';
import { type Bundle, type EdgeModule, edgeModules } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { missingSecrets, secretsOf } from '../../../shared/tooling/deploy/module-secrets.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import { awslambda, eventOf, invoke } from '../../support/lambda/runtime.ts';

let bundles: Bundle[];

beforeAll(async () => {
  vi.stubGlobal('awslambda', awslambda);
  bundles = await cachedBundles('lambda');
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => vi.unstubAllGlobals());

const values: Record<string, string> = {
  // No credential is needed for a path without an operation.
  DATABASE_URL: 'postgres://unused@127.0.0.1:1/nothing',
  ...newKeyVariables(),
  BASE_URL: 'https://portal.example',
  LOG_LEVEL: 'error',
};

/** A module is not built while its configuration is invalid, so that one instance may be called repeatedly. */
async function load(module: EdgeModule): Promise<(names: readonly string[]) => Promise<number>> {
  const file = bundles.find((bundle) => bundle.module === module)?.file;
  const { handler } = await import(/* @vite-ignore */ `file://${file}`);
  return async (names) => {
    for (const name of edgeNames) vi.stubEnv(name, names.includes(name) ? values[name] : undefined);
    return (await invoke(handler, eventOf('GET /nothing/at/all'))).statusCode;
  };
}

const open = ['BASE_URL', 'LOG_LEVEL'];

describe.each([...edgeModules])('%s', (module) => {
  it('starts with its declared secrets, and fails without any one of them', async () => {
    const { required } = secretsOf(module);
    const statusWith = await load(module);
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    for (const name of required) {
      const others = required.filter((other) => other !== name);
      expect([name, await statusWith([...open, ...others])]).toEqual([name, 500]);
    }
    errorLog.mockRestore();
    expect(await statusWith([...open, ...required])).toBe(404);
  });
});

it('an incomplete group of variables is reported as missing', () => {
  const required = secretsOf('webui').required;
  expect(missingSecrets('webui', new Set(required))).toEqual([]);
  expect(missingSecrets('webui', new Set([...required, 'S3_BUCKET']))).toHaveLength(4);
  expect(missingSecrets('client', new Set([...required, 'RDP_SIGNING_KEY']))).toEqual(['RDP_SIGNING_CERT']);
  expect(missingSecrets('auth', new Set(['DATABASE_URL']))).toEqual(['SECRET_KEY', 'AGGREGATOR_JWT_SSL_KEY']);
});
