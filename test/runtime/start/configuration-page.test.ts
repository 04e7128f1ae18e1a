import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../shared/runtime/config/config.ts';
import type { Declaration } from '../../../shared/runtime/config/declaration.ts';
import { declarations, names, namesThatHold, variables } from '../../../shared/runtime/config/variables.ts';
import { edgeNames, parseEdgeConfig } from '../../../shared/runtime/edge/config.ts';
import { edgeModules } from '../../../shared/tooling/build/bundles.ts';
import { secretsOf, variablesIn } from '../../../shared/tooling/deploy/module-secrets.ts';
import {
  configurationPage,
  configurationPageFile,
} from '../../../shared/tooling/document/configuration-page.ts';

const all: readonly (readonly [string, Declaration])[] = Object.entries(declarations);
const page = readFileSync(configurationPageFile, 'utf8');
/** The cells of the row of a variable: name, default, used by, secret, meaning. */
const rows = new Map(
  page
    .split('\n')
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => {
      const [, name = '', ...cells] = line.split('|').map((cell) => cell.trim());
      return [name.replaceAll('`', ''), cells] as const;
    }),
);

describe('the configuration page', () => {
  it('is equal to the generated one: run `npm run docs` after a change of a variable', () => {
    expect(page).toBe(configurationPage());
  });

  it('has each variable once, except those of the development environment', () => {
    const documented = all.filter(([, { isInternal }]) => !isInternal).map(([name]) => name);
    expect([...rows.keys()]).toEqual(documented);
    expect(names.filter((name) => !documented.includes(name))).toEqual(['NEON_PROXY']);
  });

  it('has a sentence for each variable', () => {
    for (const [name, cells] of rows)
      expect([name, cells[3]]).toEqual([name, expect.stringMatching(/^.{9,}\.$/)]);
  });

  it('has the defaults that the parser uses', () => {
    const defaults = variables.parse({});
    expect(rows.get('PORT')?.[0]).toBe(`\`${defaults.PORT}\``);
    expect(rows.get('TLS')?.[0]).toBe(`\`${defaults.TLS}\``);
    expect(rows.get('SYSLOG_URL')?.[0]).toBe('–');
    expect(rows.get('CONFIG_FILE')?.[0]).toBe('`$DATA_DIR/aggregator.conf`');
    expect(parseConfig({ DATA_DIR: 'x' }).configFile).toBe('x/aggregator.conf');
  });
});

describe('the scope of a variable', () => {
  it('determines what Workers and Lambda read', () => {
    const onEdge = all.filter(([, { scope }]) => scope.includes('workers') || scope.includes('lambda'));
    expect(edgeNames).toEqual(onEdge.map(([name]) => name));
    expect(() => parseEdgeConfig({ PORT: 'x', BASE_URL: 'x' }, [])).toThrow(/^BASE_URL: must be/);
    expect(() => parseEdgeConfig({ PORT: 'x', BASE_URL: 'x' }, [])).not.toThrow(/PORT:/);
  });

  it('includes Workers and Lambda for every secret of a module', () => {
    const used = new Set(
      edgeModules.flatMap((module) => {
        const { required, groups } = secretsOf(module);
        return [...required, ...groups.flatMap(variablesIn)];
      }),
    );
    for (const name of used)
      expect([name, rows.get(name)?.[1]]).toEqual([name, expect.stringMatching(/^all$|Workers, Lambda/)]);
  });
});

describe('a secret variable', () => {
  it('has a name that marks it as secret, or is a URL with a password', () => {
    const secret = all.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
    const named = names.filter((name) => /_(?:KEY|SECOND)$|PASSWORD|^(?:DATABASE_\w*|SMTP_)URL$/.test(name));
    expect(secret.toSorted()).toEqual(named.toSorted());
  });

  it('is text, or PEM text from a file', () => {
    expect(namesThatHold('pem')).toEqual([
      'AGGREGATOR_JWT_SSL_KEY',
      'AGGREGATOR_JWT_SSL_KEY_SECOND',
      'RDP_SIGNING_CERT',
      'RDP_SIGNING_KEY',
    ]);
    expect(namesThatHold('path')).toEqual(['TLS_CERT_FILE', 'TLS_KEY_FILE']);
  });
});
