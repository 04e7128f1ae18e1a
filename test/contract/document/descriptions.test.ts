import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AuthenticatorWrite } from '../../../functions/webui/authenticators/schema.ts';
import { DispatcherWrite } from '../../../functions/webui/dispatchers/schema.ts';
import { FarmWrite } from '../../../functions/webui/farms/schema.ts';
import { GatewayWrite } from '../../../functions/webui/gateways/schema.ts';
import { GroupWrite } from '../../../functions/webui/groups/schema.ts';
import { MaintenanceTemplateWrite } from '../../../functions/webui/maintenance/schema.ts';
import { PriorityGroupWrite } from '../../../functions/webui/priority-groups/schema.ts';
import { RoleWrite } from '../../../functions/webui/roles/schema.ts';
import { RuleWrite } from '../../../functions/webui/rules/schema.ts';
import { SiteWrite } from '../../../functions/webui/sites/schema.ts';
import { TagWrite } from '../../../functions/webui/tags/schema.ts';
import { UserWrite } from '../../../functions/webui/users/schema.ts';
import { domainTypes } from '../../../shared/identity/domains/registry.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { stripDescriptions } from '../../../shared/tooling/build/plugins/without-descriptions.ts';
import { readSources } from '../../structure/sources.ts';
import type { Json } from '../../support/portal.ts';
import { document } from '../generated/described.ts';
import { descriptionFaults } from './descriptions.ts';

describe('descriptions of the OpenAPI document', () => {
  it('every property, parameter and response header has a description', () =>
    expect(descriptionFaults(document)).toEqual([]));

  it.each<[string, (broken: Json) => void, RegExp]>([
    ['a property without one', (broken) => delete siteOf(broken).uri.description, /Site\/.*uri has no desc/],
    [
      'a nested property without one',
      (broken) => delete location(broken).latitude.description,
      /latitude has no description/,
    ],
    [
      'a parameter without one',
      (broken) => delete broken.paths['/livez'].get.parameters[0].$ref,
      /livez .* has no description/,
    ],
    [
      'a response header without one',
      (broken) => delete broken.components.headers.ETag.description,
      /ETag has no description/,
    ],
    ['a repeated name', (broken) => describeAs(broken, 'The farms count.'), /only repeats its name/],
    ['a number without a unit', (broken) => describeAs(broken, 'How it is.'), /a number without a unit/],
    [
      'a choice with a value that is not explained',
      (broken) => {
        siteOf(broken).status.enum.push('new');
      },
      /does not name all its values/,
    ],
    ['a long text', (broken) => describeAs(broken, `Number ${'x'.repeat(300)}.`), /more than 300/],
    ['no end', (broken) => describeAs(broken, 'Number of farms'), /does not end as a sentence/],
  ])('would not pass with %s', (_, breaks, fault) => {
    const broken = structuredClone(document);
    breaks(broken);
    expect(descriptionFaults(broken).join('\n')).toMatch(fault);
  });

  it('a description survives null, defaults, patches and other forms of one object', () => {
    const { Site, SiteWrite, SitePatch } = document.components.schemas;
    for (const name of ['uri', 'maintenance', 'maintenance_template_id', 'users', 'location']) {
      expect(SiteWrite.properties[name].description).toBe(Site.properties[name].description);
      expect(SitePatch.properties[name].description).toBe(Site.properties[name].description);
    }
    expect(Site.properties.location.anyOf[0].description).toBeUndefined();
  });
});

describe('descriptions in the JSON Schemas of request bodies', () => {
  it.each(
    Object.entries({
      ...{ AuthenticatorWrite, DispatcherWrite, FarmWrite, GatewayWrite, GroupWrite },
      ...{
        MaintenanceTemplateWrite,
        PriorityGroupWrite,
        RoleWrite,
        RuleWrite,
        SiteWrite,
        TagWrite,
        UserWrite,
      },
      ...Object.fromEntries(
        Object.entries(domainTypes).map(([name, { settings }]) => [name, settings.shape]),
      ),
    }),
  )('%s has a description for every property', (_, shape) => {
    const { properties } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
    const silent = Object.entries(properties ?? {}).filter(
      ([, member]) => typeof member !== 'object' || !member.description,
    );
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});

describe('descriptions in production bundles', () => {
  it.each([
    ["z.string().describe('A name.').optional()", 'z.string().optional()'],
    ['z.string().describe("It\'s one."),', 'z.string(),'],
    [
      "z\n  .int()\n  .describe(\n    'Long ' +\n      `text \\`one\\`.`,\n  )\n  .min(1)",
      'z\n  .int()\n  .min(1)',
    ],
    ["z.string().describe('It\\'s (one).')", 'z.string()'],
    ['shape.describe(member.description)', 'shape.describe(member.description)'],
  ])('are removed: %s', (source, stripped) => expect(stripDescriptions(source)).toBe(stripped));

  it('are all written in the removable form', () => {
    const kept = readSources()
      .filter(({ path }) => /^(functions|shared|db)\/(?!tooling\/)/.test(path))
      .map(({ path }) => ({ path, text: stripDescriptions(readFileSync(join(root, path), 'utf8')) }))
      .filter(({ text }) => /\.describe\(\s*['"`]/.test(text));
    expect(kept.map(({ path }) => path)).toEqual([]);
  });
});

const siteOf = (broken: Json): Json => broken.components.schemas.Site.properties;
const location = (broken: Json): Json => siteOf(broken).location.anyOf[0].properties;

function describeAs(broken: Json, description: string): void {
  siteOf(broken).farms_count.description = description;
}
