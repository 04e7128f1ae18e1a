import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply } from '../../../shared/tooling/configuration/apply.ts';
import { type ConfiguredPortal, startConfigured } from '../../support/documents/configuration.ts';
import { addDomain, addUser, base, builtinRole } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

let on: ConfiguredPortal;
beforeAll(async () => {
  on = await startConfigured();
});
afterAll(() => on.close());

const read = async (path: string): Promise<Json> => (await on.admin(`GET ${base}/${path}`)).body;
const names = async (path: string): Promise<string[]> =>
  (await read(path)).items.map(({ name }: Json) => name);

describe('npm run admin -- apply --prune', { timeout: 60_000 }, () => {
  it('deletes only on request, only kinds in the file, and keeps built-in and used objects', async () => {
    const whole = `
sites: [{ name: North, uri: north }, { name: South, uri: south }]
farms: [{ name: F, site_id: South }]
roles: [{ name: Helpers, permissions: [sites.read] }, { name: Unused, permissions: [] }]
tags: [{ name: office }]
`;
    expect((await on.apply(whole)).fault).toBe('');
    const domain = await addDomain(on.admin);
    const roles = (await read('rbac?search=helpers')).items;
    await addUser(on.admin, domain, { roles: roles.map(({ id }: Json) => id) });
    const less = 'sites: [{ name: North, uri: north }]\nroles:\nauthenticators:\n';
    expect((await on.apply(less)).output).toBe('No changes. 1 unchanged.\n');
    const { output, fault } = await on.apply(less, { prune: true });
    expect(fault).toBe('');
    const lines = output.split('\n');
    for (const line of [
      expect.stringMatching(/^= roles\/Helpers stays: in use by user user\S+$/),
      '- roles/Unused',
      '= sites/South stays: in use by farm F',
      `= authenticators/${domain.name} stays: it has 1 user`,
      '= roles/administrator stays: it is built in',
      'Plan: 0 to create, 0 to change, 1 to delete, 1 unchanged.',
      'Applied: 1 of 1.',
    ])
      expect(lines).toContainEqual(line);
    expect(await names('farms')).toEqual(['F']);
    expect(await names('tags')).toEqual(['office']);
    expect(await names('rbac')).toEqual(['administrator', 'auditor', 'Helpers', 'operator', 'support']);
  });

  it('keeps the last administrator', async () => {
    const domain = await addDomain(on.admin);
    await addUser(on.admin, domain, { roles: [await builtinRole(on.admin, 'administrator')] });
    const { output } = await on.apply('authenticators: []\n', { prune: true });
    expect(output).toContain(`= authenticators/${domain.name} stays: it has 1 user`);
    expect(output).toContain('stays: it is built in');
    expect((await read('authenticators?search=built-in')).items).toHaveLength(1);
  });
});

describe('changes that depend on each other', { timeout: 60_000 }, () => {
  const cycle = (one: string, other: string) => `
sites: [{ name: S1, uri: ${one} }, { name: S2, uri: ${other} }]
farms: [{ name: G, site_id: ${one === 's1' ? 'S1' : 'S2'} }]
rules:
  - name: R
    site_id: ${one === 's1' ? 'S1' : 'S2'}
    members: [{ farm_id: G, servicepool_uuid: 01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11, priority: 1 }]
`;

  it('a farm and its rule move together, and sites swap their addresses', async () => {
    expect((await on.apply(cycle('s1', 's2'))).fault).toBe('');
    const [before] = (await read('rules?search=r')).items;
    const { output, fault } = await on.apply(cycle('s2', 's1'));
    expect([fault, output]).toEqual(['', expect.stringContaining('Applied: 4 of 4.')]);
    const [after] = (await read('rules?search=r')).items;
    expect([after.id, after.site_name, after.members[0].farm_id]).toEqual([
      before.id,
      'S2',
      before.members[0].farm_id,
    ]);
    const sites = (await read('sites')).items.filter(({ name }: Json) => /^S\d$/.test(name));
    expect(sites.map(({ name, uri }: Json) => [name, uri])).toEqual([
      ['S1', 's2'],
      ['S2', 's1'],
    ]);
    expect((await on.apply(cycle('s2', 's1'))).output).toMatch(/^No changes/);
  });

  it('a farm referred to by a rule outside the file is refused', async () => {
    const { fault } = await on.apply('farms: [{ name: G, site_id: S1 }]\n');
    expect(fault).toBe('farms/G (line 1): in use by rule R\nNothing was changed.');
  });
});

describe('concurrent changes', { timeout: 60_000 }, () => {
  it('an object changed after planning stops the apply, and a second apply continues', async () => {
    const path = join(on.folder, 'concurrent.yaml');
    writeFileSync(
      path,
      'tags: [{ name: first }]\nsites:\n  - { name: North, uri: north, priority: 5 }\n  - { name: S3, uri: s3 }\n',
    );
    const [site] = (await read('sites?search=north')).items;
    const output: string[] = [];
    const changing = async (text: string): Promise<void> => {
      output.push(text);
      if (output.length > 1) return;
      const { status } = await on.admin(`PATCH ${base}/sites/${site.id}`, {
        comments: 'of another administrator',
      });
      expect(status).toBe(200);
    };
    const options = { path, env: {}, dryRun: false, prune: false };
    await expect(apply(on.portal.deps, { ...options, say: changing })).rejects.toThrow(
      `sites/North (line 3): it was changed after the plan was made; run the same command again
Applied: 1 of 3 (tags/first).
Run the same command again to continue.`,
    );
    expect((await read(`sites/${site.id}`)).comments).toBe('of another administrator');
    await apply(on.portal.deps, { ...options, say: (text) => void output.push(text) });
    expect(output.at(-2)).toContain(
      '~ sites/North\n    comments: of another administrator → ""\n    priority: 1 → 5\n+ sites/S3',
    );
    expect(await names('sites')).toContain('S3');
  });
});
