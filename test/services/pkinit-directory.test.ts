import { afterAll, beforeAll, expect, it } from 'vitest';
import { person, posixGroup } from '../support/directory-entries.ts';
import { type DirectoryStand, startDirectoryStand } from '../support/directory-stand.ts';
import { usersPath } from '../support/factories.ts';
import { hasKdc, type Kdc, startKdc } from '../support/kdc.ts';
import { signIn } from '../support/pkinit.ts';
import type { Json } from '../support/portal.ts';
import { requireService } from '../support/services.ts';
import { hasSlapd } from '../support/slapd.ts';

const ldif = person('alice', { mail: 'alice@example.com' }) + person('bob') + posixGroup('staff', ['alice']);

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('a card of somebody who was never here', () => {
  let kdc: Kdc;
  let stand: DirectoryStand;
  let domain: Json;

  beforeAll(async () => {
    [kdc, stand] = await Promise.all([startKdc(), startDirectoryStand(ldif)]);
    const kerberos = { realm: kdc.realm, kdc: [kdc.address], anchors: kdc.anchors };
    domain = await stand.domainFor('staff', { kerberos });
  });
  afterAll(async () => {
    await stand?.close();
    await kdc?.stop();
  });

  it('makes the user of the directory with his groups, and needs no directory from then on', async () => {
    const card = await kdc.issue({ name: 'alice' });
    const first = await signIn(stand.world.portal, domain, card);
    expect(first).toMatchObject({
      status: 200,
      body: { user: { name: 'alice', real_name: 'Person alice' } },
    });
    const { body } = await stand.world.admin(`GET ${usersPath(domain)}?search=alice`);
    expect(body.items).toMatchObject([{ email: 'alice@example.com', groups: [expect.any(String)] }]);
    const asked = stand.slapd.log.length;
    expect((await signIn(stand.world.portal, domain, card)).status).toBe(200);
    expect(stand.slapd.log).toHaveLength(asked);
  });

  it('lets nobody in without a registered group, nor whom the directory does not know', async () => {
    const refusalOf = async (name: string) => {
      const { status, body } = await signIn(stand.world.portal, domain, await kdc.issue({ name }));
      return [status, body.code];
    };
    expect(await refusalOf('bob')).toEqual([403, 'no_registered_group']);
    expect(await refusalOf('carol')).toEqual([401, 'invalid_credentials']);
    expect((await stand.world.admin(`GET ${usersPath(domain)}`)).body.items).toHaveLength(1);
  });
});
