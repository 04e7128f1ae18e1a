import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueLeaf } from '../../../shared/tooling/start/tls/local-certificates.ts';
import { ensureLocalTls, type LocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';

/** Connects to a server with this certificate under a name, with only the CA file trusted. */
async function reach({ certPem, keyPem, caFile }: LocalTls, servername: string): Promise<number | undefined> {
  const server = createServer({ cert: certPem, key: keyPem }, (_, answer) => answer.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    return await new Promise((resolve, reject) => {
      const ca = readFileSync(caFile);
      request({ host: '127.0.0.1', port, ca, servername, headers: { host: servername } }, (answer) =>
        resolve(answer.resume().statusCode),
      )
        .on('error', reject)
        .end();
    });
  } finally {
    server.close().closeAllConnections();
  }
}

describe('the local authority', () => {
  let folder: string;
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'tls-')), 'tls');
  });
  afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  it('issues a certificate for its names only, which clients with the CA accept', async () => {
    const tls = await ensureLocalTls(folder, ['portal.test', '0.0.0.0']);
    expect(await reach(tls, 'localhost')).toBe(200);
    expect(await reach(tls, 'portal.test')).toBe(200);
    await expect(reach(tls, 'other.test')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const leaf = new X509Certificate(tls.certPem);
    expect([leaf.checkIP('127.0.0.1'), leaf.checkIP('::1'), leaf.checkIP('0.0.0.0')]).toEqual([
      '127.0.0.1',
      '::1',
      undefined,
    ]);
    const days = (leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / 86_400_000;
    expect(days).toBeLessThanOrEqual(397);
  });

  it('is not trusted by a client without the CA', async () => {
    const tls = await ensureLocalTls(folder, ['portal.test']);
    const other = await ensureLocalTls(join(folder, 'other'), []);
    await expect(reach({ ...tls, caFile: other.caFile }, 'localhost')).rejects.toThrow(
      /unable to|self-signed/,
    );
  });

  it('creates private files and reuses them', async () => {
    const first = await ensureLocalTls(folder, ['portal.test']);
    expect(await ensureLocalTls(folder, ['portal.test'])).toEqual(first);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const key of ['ca-key.pem', 'localhost-key.pem']) {
      expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600);
    }
  });

  it('issues a new certificate for other names, by the same CA', async () => {
    const before = await ensureLocalTls(folder, ['portal.test']);
    const ca = readFileSync(before.caFile, 'utf8');
    const after = await ensureLocalTls(folder, ['second.test']);
    expect(readFileSync(after.caFile, 'utf8')).toBe(ca);
    expect(await reach(after, 'second.test')).toBe(200);
    await expect(reach(after, 'portal.test')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('issues a new certificate when it expires within 30 days or does not match its key', async () => {
    const names = ['localhost', '127.0.0.1', '::1'];
    const ca = {
      certPem: readFileSync(join(folder, 'ca.pem'), 'utf8'),
      keyPem: readFileSync(join(folder, 'ca-key.pem'), 'utf8'),
    };
    const ending = await issueLeaf(ca, names, 29);
    writeFileSync(join(folder, 'localhost.pem'), ending.certPem);
    writeFileSync(join(folder, 'localhost-key.pem'), ending.keyPem);
    const renewed = await ensureLocalTls(folder, []);
    expect(renewed.certPem).not.toBe(ending.certPem);
    writeFileSync(join(folder, 'localhost-key.pem'), ending.keyPem);
    const repaired = await ensureLocalTls(folder, []);
    expect(repaired.certPem).not.toBe(renewed.certPem);
    expect(await reach(repaired, 'localhost')).toBe(200);
  });
});
