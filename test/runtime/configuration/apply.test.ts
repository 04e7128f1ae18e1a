import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { type ConfiguredPortal, startConfigured } from '../../support/documents/configuration.ts';
import { base } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

let on: ConfiguredPortal;
beforeAll(async () => {
  on = await startConfigured();
});
afterAll(() => on.close());

const read = async (path: string): Promise<Json> => (await on.admin(`GET ${base}/${path}`)).body;

const eventsOf = () =>
  on.portal.db.select().from(auditEvents).where(eq(auditEvents.user_name, 'system:apply'));

const twoSites = `
tags:
  - name: office
    color: '#1f6feb'
maintenance_templates:
  - name: Weekend
    message: Back on Monday
authenticators:
  - name: Corporate
    small_name: corp
    type: ldap
    params:
      hosts: [ldaps://directory.example.com]
      base_dn: dc=example,dc=com
      bind_dn: cn=portal,dc=example,dc=com
      bind_password: \${env:PORTAL_SECRET_CORP}
    attributes:
      - name: phone
        source: telephoneNumber
groups:
  - name: Staff
    authenticator_id: Corporate
sites:
  - name: North
    uri: north
    authenticators: [Corporate]
    groups: [corp/Staff]
    maintenance_template_id: Weekend
  - name: South
    uri: south
roles:
  - name: North operators
    permissions: [sites.read, farms.read]
    scope: { sites: [North] }
farms:
  - name: North A
    site_id: North
  - name: South A
    site_id: South
dispatchers:
  - name: n1
    farm_id: North A
    url: https://n1.example.com
    health_key: \${env:PORTAL_SECRET_N1}
priority_groups:
  - name: North first
    groups: [corp/Staff]
    farms:
      - { farm_id: North A, priority: 1 }
rules:
  - name: Office
    site_id: North
    members:
      - { farm_id: North A, servicepool_uuid: 01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11, priority: 1 }
gateways:
  - name: gw1
    host: gw1.example.com
    sites: [North]
`;
const env = { PORTAL_SECRET_CORP: 'a secret of the directory', PORTAL_SECRET_N1: 'a secret of the node' };

describe('npm run admin -- apply', { timeout: 60_000 }, () => {
  it('creates the objects of a file in the order of their references', async () => {
    const first = await on.apply(twoSites, { env });
    expect(first.fault).toBe('');
    expect(first.output).toContain('+ sites/North\n    uri: north\n    authenticators: ["Corporate"]');
    expect(first.output).toContain('Plan: 13 to create, 0 to change, 0 to delete, 0 unchanged.');
    expect(first.output).toContain('Applied: 13 of 13.');
    expect(first.output).not.toContain('a secret of');
    const [node] = (await read('dispatchers?search=n1')).items;
    expect(node).toMatchObject({ farm_name: 'North A', site_name: 'North', health_key_set: true });
    const tokens = join(on.folder, 'configuration-1.tokens.yaml');
    expect(statSync(tokens).mode & 0o777).toBe(0o600);
    expect(readFileSync(tokens, 'utf8')).toMatch(/^gateways:\n {2}gw1: \S{48}\n$/);
  });

  it('changes nothing when the same file is applied twice', async () => {
    const events = (await eventsOf()).length;
    const again = await on.apply(twoSites, { env });
    expect(again).toEqual({ output: 'No changes. 13 unchanged.\n', fault: '' });
    expect(await eventsOf()).toHaveLength(events);
    expect(existsSync(join(on.folder, 'configuration-2.tokens.yaml'))).toBe(false);
  });

  it('writes audit events of system:apply, one for each object', async () => {
    const own = await eventsOf();
    expect(own.filter(({ action }) => action === 'create')).toHaveLength(13);
    const [site] = own.filter(({ object_name }) => object_name === 'North');
    expect(site).toMatchObject({
      event: 'portal.EntityAction',
      action: 'create',
      object_type: 'site',
      user_id: null,
      source_ip: null,
      details: { operator: expect.any(String), host: expect.any(String) },
    });
    expect(JSON.stringify(own)).not.toContain('a secret of');
  });

  it('shows each changed property, and a dry run changes nothing', async () => {
    const changed = twoSites
      .replace('uri: south', 'uri: south\n    priority: 7')
      .replace('groups: [corp/Staff]\n    maintenance', 'groups: []\n    maintenance');
    const dry = await on.apply(changed, { env, dryRun: true });
    const plan = `~ sites/North
    groups:
      - corp/Staff
~ sites/South
    priority: 1 → 7
Plan: 0 to create, 2 to change, 0 to delete, 11 unchanged.
`;
    expect(dry).toEqual({ output: `${plan}Dry run: nothing was changed.\n`, fault: '' });
    expect((await read('sites?search=south')).items[0].priority).toBe(1);
    const done = await on.apply(changed, { env });
    expect(done).toEqual({ output: `${plan}Applied: 2 of 2.\n`, fault: '' });
    expect((await read('sites?search=south')).items[0].priority).toBe(7);
    expect((await on.apply(twoSites, { env })).output).toContain('+ corp/Staff');
  });

  it('sends a secret when it differs from the stored one or its destination changes', async () => {
    const other = await on.apply(twoSites, { env: { ...env, PORTAL_SECRET_N1: 'another secret' } });
    expect(other.output).toBe(`~ dispatchers/n1
    health_key: secret: changed
Plan: 0 to create, 1 to change, 0 to delete, 12 unchanged.
Applied: 1 of 1.
`);
    const moved = twoSites.replace('https://n1.example.com', 'https://n2.example.com');
    const sent = await on.apply(moved, { env: { ...env, PORTAL_SECRET_N1: 'another secret' } });
    expect(sent.output).toContain(`~ dispatchers/n1
    url: https://n1.example.com → https://n2.example.com
    health_key: secret: sent again, as its destination changes
`);
    const without = await on.apply(twoSites.replace(/\n.*health_key.*/, ''), { env });
    expect(without.fault).toMatch(
      /^dispatchers\/n1\/health_key \(line \d+\): The destination has changed, so the secret is needed in the file\nNothing was changed\.$/,
    );
    await on.apply(twoSites, { env });
    const kept = await on.apply(twoSites.replace(/\n.*health_key.*/, ''), { env });
    expect(kept.output).toBe('No changes. 13 unchanged.\n');
  });
});
