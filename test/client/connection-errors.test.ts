import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPortalClient, PortalError } from '../../shared/client/portal-client.ts';
import { type RunningServer, serveNode } from '../../shared/runtime/node/server.ts';
import {
  type IssuedCertificate,
  issueCa,
  issueLeaf,
} from '../../shared/tooling/start/tls/local-certificates.ts';
import { adminPassword, startPortal, type TestPortal } from '../support/portal.ts';

let portal: TestPortal;
let ca: IssuedCertificate;
let serving: RunningServer | undefined;

beforeAll(async () => {
  portal = await startPortal();
  ca = await issueCa();
});
afterEach(async () => {
  await serving?.close(1_000);
  serving = undefined;
});
afterAll(() => portal?.close());

/** The portal on a separate port. @returns its base URL */
async function serve(tls?: { cert: string; key: string }): Promise<string> {
  serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
    ...(tls && { tls }),
  });
  return `${tls ? 'https' : 'http'}://localhost:${serving.port}`.replace('localhost', '127.0.0.1');
}

async function certified(names: readonly string[], days?: number): Promise<{ cert: string; key: string }> {
  const leaf = await issueLeaf(ca, names, days);
  return { cert: leaf.certPem, key: leaf.keyPem };
}

async function refusal(work: Promise<unknown>): Promise<PortalError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PortalError) return error;
  throw new Error(`not a PortalError: ${String(error)}`);
}

describe('the message of a PortalError', () => {
  it('names each invalid field', async () => {
    const baseUrl = await serve();
    const { token } = await createPortalClient({ baseUrl }).call('login.create', {
      body: { username: 'admin', password: adminPassword, authSmallName: 'builtin' },
    });
    const client = createPortalClient({ baseUrl, token });
    const body = { name: 'North', uri: 'Not A Slug', priority: -1 };
    const { message, problem } = await refusal(client.call('site.create', { body }));
    const details = Object.fromEntries(
      problem?.errors?.map(({ pointer, detail }) => [pointer, detail]) ?? [],
    );
    expect(Object.keys(details).sort()).toEqual(['/priority', '/uri']);
    expect(message).toContain(`/uri: ${details['/uri']}`);
    expect(message).toContain(`/priority: ${details['/priority']}`);
  });

  it('is the detail of a problem without fields', async () => {
    const baseUrl = await serve();
    const { message, problem } = await refusal(createPortalClient({ baseUrl }).call('userinfo.get'));
    expect(problem?.detail).toBeTruthy();
    expect(message).toBe(problem?.detail);
  });

  it('names an untrusted certificate authority, and the way to trust it', async () => {
    const baseUrl = await serve(await certified(['127.0.0.1']));
    const error = await refusal(createPortalClient({ baseUrl }).call('liveness.get'));
    expect(error).toMatchObject({ code: 'tls_failed', status: 0, retryable: false });
    expect(error.message).toMatch(/certificate/);
    expect(error.message).toMatch(
      /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER/,
    );
    expect(error.message).toContain('NODE_EXTRA_CA_CERTS');
    expect(error.message).not.toContain('could not be reached');
  });

  it('names the port that does not accept connections', async () => {
    const baseUrl = await serve();
    await serving?.close(1_000);
    serving = undefined;
    const client = createPortalClient({ baseUrl, retries: 0 });
    const error = await refusal(client.call('liveness.get'));
    expect(error).toMatchObject({ code: 'connection_failed', status: 0, retryable: true });
    expect(error.message).toContain(`ECONNREFUSED ${new URL(baseUrl).host}`);
  });
});
