import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addDirectory,
  addDispatcher,
  addFarm,
  addMember,
  addSite,
  addWebhook,
  adminOf,
  base,
  create,
  useWorld,
} from '../../support/factories.ts';
import { peerBody, peersPath } from '../../support/identity/peers.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const path = `${base}/certificates`;

const { caPem: pem } = await createAuthority();
const { subject, validTo, fingerprint256 } = new X509Certificate(pem);

/** A node that has presented a certificate. */
async function addNode(name: string, days: number): Promise<{ node: Json; site: Json }> {
  const site = await addSite(admin, { name: `Site of ${name}` });
  const node = await addDispatcher(admin, await addFarm(admin, site), { name });
  const not_after = new Date(Date.now() + days * 86_400_000).toISOString();
  const certificate = { subject: `CN=${name}`, issuer: 'CN=Example CA', not_after };
  await world.portal.db.update(dispatchers).set({ certificate }).where(eq(dispatchers.id, node.id));
  return { node, site };
}

describe('the certificates of the nodes', () => {
  it('are listed in order of expiry, within the scope of the caller', async () => {
    const late = await addNode('late', 300);
    const soon = await addNode('soon', 3);
    const { body } = await admin(`GET ${path}`);
    expect(body.items).toEqual([
      expect.objectContaining({
        use: 'presented',
        subject: 'CN=soon',
        fingerprint: null,
        object_type: 'dispatcher',
        object_id: soon.node.id,
        site_name: 'Site of soon',
      }),
      expect.objectContaining({ subject: 'CN=late', object_id: late.node.id }),
    ]);
    const member = await addMember(world, ['dispatchers.read'], [late.site.id]);
    const { body: own } = await member.ask(`GET ${path}`);
    expect(own.items.map(({ subject }: Json) => subject)).toEqual(['CN=late']);
    const other = await addMember(world, ['audit.read']);
    expect((await other.ask(`GET ${path}`)).status).toBe(403);
  });

  it('contain the trusted authorities with their fingerprints', async () => {
    const farm = await addFarm(admin, await addSite(admin));
    const node = await addDispatcher(admin, farm, { name: 'trusting', ca_certificate: pem });
    const { body } = await admin(`GET ${path}`);
    const trusted = body.items.filter(({ object_id }: Json) => object_id === node.id);
    expect(trusted).toEqual([
      expect.objectContaining({
        use: 'trusted',
        subject: subject.split('\n').join(', '),
        not_after: new Date(validTo).toISOString(),
        fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
      }),
    ]);
  });

  it('of domains, peers and webhooks are those that openssl reads from their bundles', async () => {
    const { caPem: second } = await createAuthority();
    const domain = await addDirectory(admin, {
      ca_certificate: pem,
      kerberos: { realm: 'EXAMPLE.COM', kdc: ['kdc.example.com:88'], anchors: second },
    });
    const peer = await create(admin, peersPath, peerWith(`${pem}\n${second}`));
    const webhook = await addWebhook(admin, { ca_certificate: second });
    const { body } = await admin(`GET ${path}`);
    const of = ({ id }: Json) => body.items.filter(({ object_id }: Json) => object_id === id);
    const shown = (items: Json[]) =>
      items.map(({ use, fingerprint, not_after }) => [use, fingerprint, not_after]).sort();
    const [first, other] = [await readByOpenssl(pem), await readByOpenssl(second)];
    expect(shown(of(domain))).toEqual([
      ['kdc', ...other],
      ['trusted', ...first],
    ]);
    const both = [
      ['trusted', ...first],
      ['trusted', ...other],
    ].sort();
    expect(shown(of(peer))).toEqual(both);
    expect(shown(of(webhook))).toEqual([['trusted', ...other]]);
    const [item] = of(webhook);
    expect(item).toMatchObject({
      object_type: 'webhook',
      object_name: webhook.name,
      not_before: new Date(new X509Certificate(second).validFrom).toISOString(),
      ...{ farm_name: null, site_id: null, site_name: null },
    });
    expect(JSON.stringify(body)).not.toContain('PRIVATE');
  });

  it('are those of the types that the caller may read', async () => {
    const { site } = await addNode('of the member', 20);
    await addDirectory(admin, { ca_certificate: pem });
    await create(admin, peersPath, peerWith(pem));
    await addWebhook(admin, { ca_certificate: pem });
    const typesFor = async (permissions: readonly string[], sites?: string[]) => {
      const { ask } = await addMember(world, permissions, sites);
      const { body } = await ask(`GET ${path}`);
      return [...new Set(body.items.map(({ object_type }: Json) => object_type))].sort();
    };
    expect(await typesFor(['authenticators.read'])).toEqual(['authenticator']);
    expect(await typesFor(['peers.read'])).toEqual(['peer']);
    expect(await typesFor(['webhooks.read'])).toEqual(['webhook']);
    expect(await typesFor(['dispatchers.read', 'webhooks.read'], [site.id])).toEqual(['dispatcher']);
  });
});

/** A peer whose keys are read from a server of this authority. */
const peerWith = (ca_certificate: string) =>
  peerBody({ jwks_url: 'https://peer.example.com/jwks', ca_certificate });

const run = promisify(execFile);

/** Fingerprint and expiry, as an independent program reads them. */
async function readByOpenssl(certificate: string): Promise<[fingerprint: string, notAfter: string]> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  try {
    const file = join(folder, 'certificate.pem');
    await writeFile(file, certificate);
    const options = ['-noout', '-fingerprint', '-sha256', '-enddate'];
    const { stdout } = await run('openssl', ['x509', '-in', file, ...options]);
    const read = (name: RegExp) => name.exec(stdout)?.[1] ?? '';
    return [
      read(/fingerprint=([0-9A-F:]+)/i)
        .replaceAll(':', '')
        .toLowerCase(),
      new Date(read(/notAfter=(.+)/)).toISOString(),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}
