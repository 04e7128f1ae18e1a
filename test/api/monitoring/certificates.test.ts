import { X509Certificate } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addDispatcher,
  addFarm,
  addMember,
  addSite,
  adminOf,
  base,
  useWorld,
} from '../../support/factories.ts';
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
        dispatcher_id: soon.node.id,
        site_name: 'Site of soon',
      }),
      expect.objectContaining({ subject: 'CN=late', dispatcher_id: late.node.id }),
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
    const trusted = body.items.filter(({ dispatcher_id }: Json) => dispatcher_id === node.id);
    expect(trusted).toEqual([
      expect.objectContaining({
        use: 'trusted',
        subject: subject.split('\n').join(', '),
        not_after: new Date(validTo).toISOString(),
        fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
      }),
    ]);
  });
});
