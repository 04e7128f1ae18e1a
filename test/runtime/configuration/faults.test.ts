import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConfiguredPortal, startConfigured } from '../../support/documents/configuration.ts';
import { base } from '../../support/factories.ts';

let on: ConfiguredPortal;
beforeAll(async () => {
  on = await startConfigured();
  const { fault } = await on.apply('sites: [{ name: North, uri: north }]\n');
  expect(fault).toBe('');
});
afterAll(() => on.close());

const faultOf = async (text: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const { output, fault } = await on.apply(text, { env });
  expect(output.includes('Applied')).toBe(false);
  return fault.replaceAll(/configuration-\d+\.yaml/g, 'FILE');
};
const node = 'dispatchers:\n  - name: d1\n    farm_id: F\n    url: https://d1.example.com\n';
const farm = 'farms: [{ name: F, site_id: North }]\n';

describe('errors of a configuration file', { timeout: 60_000 }, () => {
  it.each([
    ['no mapping', '- a\n', 'FILE: its content is not a mapping'],
    [
      'a duplicate key',
      'sites:\n  - name: A\n    uri: a\n    uri: b\n',
      'FILE: line 4: Map keys must be unique',
    ],
    ['a syntax error', 'sites:\n  - name: [\n', /^FILE: line 3: /],
    ['an unknown section', 'site:\n  - name: A\n', 'site (line 1): unknown section; did you mean sites?'],
    ['no list', 'sites: { name: A }\n', 'sites (line 1): must be a list'],
    ['no name', 'sites:\n  - uri: a\n', 'sites/0 (line 2): name: is required'],
    [
      'a misspelt member',
      'sites:\n  - name: A\n    uri: a\n    prioritty: 3\n',
      'sites/A/prioritty (line 4): unknown member; did you mean priority?',
    ],
    [
      'a misspelt nested member',
      `${farm}rules:\n  - name: R\n    site_id: North\n    members:\n      - farm_id: F\n        priority: 1\n        service_pool_uuid: 01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11\n`,
      'rules/R/members/0/servicepool_uuid (line 6): is required\nrules/R/members/0/service_pool_uuid (line 8): unknown member; did you mean servicepool_uuid?',
    ],
    [
      'a misspelt parameter of a domain',
      'authenticators:\n  - name: C\n    small_name: c\n    type: ldap\n    params:\n      host: [ldaps://d.example.com]\n      base_dn: dc=a\n',
      'authenticators/C/params/hosts (line 5): is required\nauthenticators/C/params/host (line 6): unknown member; did you mean hosts?',
    ],
    [
      'a bad value',
      'sites:\n  - name: A\n    uri: Not good\n',
      'sites/A/uri (line 3): Must contain only lower-case letters, digits and single hyphens',
    ],
    [
      'a name of nothing',
      'farms:\n  - name: F\n    site_id: Nort\n',
      'farms/F/site_id (line 3): there is no site Nort; did you mean North?',
    ],
    [
      'a user that is not there',
      'sites:\n  - name: A\n    uri: a\n    users: [builtin/admim]\n',
      'sites/A/users/0 (line 4): there is no user builtin/admim; a user is written <label of the domain>/<name>',
    ],
    [
      'two entries of one name',
      'sites:\n  - { name: A, uri: a }\n  - { name: a, uri: b }\n',
      'sites/a (line 3): the same name as sites/A (line 2)',
    ],
    [
      'a secret as itself',
      `${farm}${node}    health_key: hunter22\n`,
      `dispatchers/d1/health_key (line 6): write a secret as \${env:PORTAL_SECRET_NAME} or \${file:path}`,
    ],
    [
      'a variable that is not set',
      `${farm}${node}    health_key: \${env:PORTAL_SECRET_NO_SUCH}\n`,
      'dispatchers/d1/health_key (line 6): the environment variable PORTAL_SECRET_NO_SUCH is not set',
    ],
    [
      'a variable of another purpose',
      `${farm}${node}    health_key: \${env:PATH}\n`,
      'dispatchers/d1/health_key (line 6): the name of the environment variable PATH does not start with PORTAL_SECRET_: rename it to PORTAL_SECRET_PATH',
    ],
    [
      'a picture that is none',
      'images:\n  - name: A\n    image: data:image/png;base64,AAAA\n',
      'images/A/image (line 3): The data is not of the type image/png',
    ],
    [
      'a built-in role that is changed',
      'roles:\n  - name: operator\n    permissions: []\n',
      'roles/operator (line 2): Built-in roles cannot be changed\nNothing was changed.',
    ],
  ])('%s is rejected with its position, and nothing is changed', async (_, text, expected) => {
    const fault = await faultOf(text);
    if (typeof expected === 'string') expect(fault).toBe(expected);
    else expect(fault).toMatch(expected);
    const sites = await on.admin(`GET ${base}/sites?count=exact`);
    expect(sites.body.total).toBe(1);
  });

  it('all errors are reported at once', async () => {
    const fault = await faultOf(
      'sites:\n  - { name: A, uri: A }\n  - { name: B, uri: b, pryority: 1 }\nfarms:\n  - { name: F, site_id: Nowhere }\n',
    );
    expect(fault.split('\n')).toHaveLength(3);
  });

  it('a file above 1 MiB, multiplying aliases and deep nesting are rejected quickly', async () => {
    expect(await faultOf(`# ${'x'.repeat(1_048_576)}\n`)).toBe(
      'FILE: a configuration file has at most 1 MiB',
    );
    const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`)}]`);
    expect(await faultOf(`l0: &l0 [a]\n${levels.join('\n')}\n`)).toMatch(/^FILE: Excessive alias count/);
    expect(await faultOf(`sites: ${'['.repeat(200_000)}`)).toMatch(
      /^FILE: (line 1: |it is nested too deeply)/,
    );
  });

  it('secrets and images are read from files beside it', async () => {
    mkdirSync(join(on.folder, 'secrets'), { recursive: true });
    writeFileSync(join(on.folder, 'secrets', 'key'), 'the key of the node\n');
    writeFileSync(
      join(on.folder, 'dot.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg"><circle r="3"/></svg>',
    );
    const text = `${farm}${node}    health_key: \${file:secrets/key}
images:
  - { name: dot, file: dot.svg }
rules:
  - { name: R, site_id: North, image_id: dot, match_tags: { any: [office], all: [] } }
`;
    expect((await on.apply(text)).fault).toBe('');
    expect((await on.apply(text)).output).toBe('No changes. 3 unchanged.\n');
    const same = text.replace(`\${file:secrets/key}`, `\${env:PORTAL_SECRET_KEY}`);
    expect((await on.apply(same, { env: { PORTAL_SECRET_KEY: 'the key of the node' } })).output).toMatch(
      /^No changes/,
    );
    writeFileSync(
      join(on.folder, 'dot.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>',
    );
    expect((await on.apply(text)).output).toMatch(/^~ rules\/R\n {4}image_id: \S+ → dot\n/);
  });
});
