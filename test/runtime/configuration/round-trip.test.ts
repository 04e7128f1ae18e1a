import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type ConfiguredPortal, startConfigured } from '../../support/documents/configuration.ts';
import { type Installation, installations } from '../../support/installations.ts';

let here: ConfiguredPortal;
let there: ConfiguredPortal;
beforeAll(async () => {
  [here, there] = await Promise.all([startConfigured(), startConfigured()]);
});
afterAll(() => Promise.all([here.close(), there.close()]));

const secrets = { PORTAL_SECRET_BIND: 'of the directory', PORTAL_SECRET_HEALTH: 'of the node' };
/** The variables of an export, which have different names. */
const exported = {
  PORTAL_SECRET_AUTHENTICATOR_CORPORATE_BIND_PASSWORD: secrets.PORTAL_SECRET_BIND,
  PORTAL_SECRET_DISPATCHER_D1_HEALTH_KEY: secrets.PORTAL_SECRET_HEALTH,
};

const namesIn = (installation: Installation): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(installation)
      .filter(([section, entries]) => section !== 'images' && entries.length > 0)
      .map(([section, entries]) => [section, entries.map(({ name }) => name).sort()]),
  );

describe('the round trip of export and apply', () => {
  it('converts any installation into any other, and its export reproduces it elsewhere', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(installations, async (installation) => {
        const applied = await here.apply(stringify(installation), { prune: true, env: secrets });
        expect(applied.fault).toBe('');
        const text = await here.export();
        const content = parse(text) as Installation;
        expect(namesIn(content)).toEqual(namesIn(installation));
        expect((await here.apply(text, { prune: true, env: exported })).output).toMatch(/No changes\./);
        // Every section, because absent ones are not pruned.
        const whole = {
          ...Object.fromEntries(Object.keys(installation).map((name) => [name, []])),
          ...content,
        };
        const copied = await there.apply(stringify(whole), { prune: true, env: exported });
        expect(copied.fault).toBe('');
        expect(await there.export()).toBe(text);
      }),
      { numRuns: Number(process.env.CONFIGURATION_RUNS ?? 12), endOnFailure: true },
    );
  });
});
