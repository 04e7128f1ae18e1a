import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Bundle } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { startLocalWorkers } from '../../../shared/tooling/workers/local-workers.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';
import { send } from '../../support/workers/local-workers.ts';

describe('a Worker that is not configured', () => {
  let bundles: Bundle[];
  beforeAll(async () => {
    // Every module takes workerd time to start.
    const used = ['aggregator', 'auth', 'discover'];
    bundles = (await cachedBundles('workers')).filter(({ module }) => used.includes(module));
  });

  async function ask(variables: Record<string, string>, route: string) {
    const lines: string[] = [];
    const workers = await startLocalWorkers({
      bundles,
      host: '127.0.0.1',
      port: 0,
      variables,
      write: (line) => lines.push(line),
    });
    try {
      return { ...(await send(workers.url, route)), lines: [...lines] };
    } finally {
      await workers.stop();
    }
  }
  const complete = () => ({
    DATABASE_URL: 'postgres://user:secret@db.example/portal',
    BASE_URL: 'https://portal.example',
    SECRET_KEY: newSecretKey(),
  });
  const namesIn = (line = '{}'): string[] =>
    JSON.parse(line).faults.map((fault: string) => fault.split(':')[0]);

  it('answers 500 without a reason, and logs its missing variables in one line', async () => {
    const { status, body, lines } = await ask({ LOG_LEVEL: 'loud' }, 'GET /api/auth/v7.0/jwks');
    expect({ status, body }).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(JSON.stringify(body)).not.toContain('DATABASE_URL');
    expect(lines).toHaveLength(1);
    expect(namesIn(lines[0])).toEqual([
      'LOG_LEVEL',
      'DATABASE_URL',
      'BASE_URL',
      'SECRET_KEY',
      'AGGREGATOR_JWT_SSL_KEY',
    ]);
  });

  it('fails its scheduled run, and logs its missing variables in one line', async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const given = { bundles, host: '127.0.0.1', port: 0, variables: { LOG_LEVEL: 'loud' }, write };
    const workers = await startLocalWorkers(given);
    try {
      await expect(workers.trigger()).rejects.toThrow(/aggregator/);
      await vi.waitFor(() => expect(namesIn(lines[0])).toContain('DATABASE_URL'));
    } finally {
      await workers.stop();
    }
  });

  it('needs no key that its module does not use, and fails without the others', async () => {
    expect(await ask(complete(), 'GET /api/errors/not_found')).toMatchObject({ status: 200 });
    const auth = await ask(complete(), 'GET /api/auth/v7.0/jwks');
    expect(auth.status).toBe(500);
    expect(namesIn(auth.lines[0])).toEqual(['AGGREGATOR_JWT_SSL_KEY']);
  });

  it.each([
    ['NEON_PROXY', 'http://elsewhere.example'],
    ['DATABASE_DRIVER', 'pg'],
  ])('does not start with %s=%s', async (name, value) => {
    const { status, lines } = await ask({ ...complete(), [name]: value }, 'GET /api/errors/not_found');
    expect(status).toBe(500);
    expect(namesIn(lines[0])).toEqual([name]);
  });
});
