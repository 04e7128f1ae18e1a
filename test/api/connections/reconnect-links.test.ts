import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAllowedLink } from '../../../shared/sites/link-schemes.ts';
import { addMember, base, type Member, pool, useWorld } from '../../support/factories.ts';
import { type FarmWithNode, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/tconfig`;
const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;
let session_uuid: string;
beforeAll(async () => {
  const made = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
  member = await addMember(world, []);
  const service = `${at.farm.id}.${uuidOf(at, 'Office')}`;
  const connected = await member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${service}`);
  session_uuid = connected.body.session_uuid;
});
afterAll(async () => {
  await at.node.simulator.close();
});

/** The response when the node returns a link with this beginning. */
const renew = (linkStart: string | null) => {
  at.node.simulator.knobs.linkStart = linkStart;
  return member.ask(`POST /aggregator/api/client/v7.0/${site.uri}/reconnect/`, { session_uuid });
};
const allow = (value: string, ask = world.admin, confirmed?: string) =>
  ask(`PUT ${path}`, {
    aggregator: {
      link_schemes: { value },
      ...(confirmed !== undefined && { confirmed_link_schemes: { value: confirmed } }),
    },
  });

describe('the link of reconnect', () => {
  it.each([
    'https://d1.example.com',
    'HTTPS://d1.example.com:8443',
    'udss://north',
    'udss:',
  ])('is returned when it begins with %s', async (start) => {
    const { status, body } = await renew(start);
    expect([status, body.link?.startsWith(start)]).toEqual([200, true]);
  });

  it.each([
    'javascript:alert(1)//',
    'JavaScript:alert(1)//',
    'data:text/html,',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://x/',
    'http://d1.example.com',
    '\\\\server\\share',
    '//server/share',
    'https:\\\\server',
    'https:/\\server',
    'https://user@server',
    'https://u:p@server/',
    'udss://u:p@north',
    'https://north\u200b',
    'https:server',
    ' https://d1.example.com',
    'udss:\\\\server',
    'ms-msdt:/id',
    '',
  ])('is not returned when it begins with %j', async (start) => {
    const { status, body } = await renew(start);
    expect([status, body.code, body.reason, body.link]).toEqual([
      502,
      'upstream_failed',
      'link_not_allowed',
      undefined,
    ]);
    expect(JSON.stringify(body)).not.toContain('reconnect=');
  });

  it('may use further schemes by a system parameter, and never a dangerous one', async () => {
    expect((await renew('tdsk://north')).status).toBe(502);
    expect((await allow('udss,tdsk')).body.errors?.[0]).toMatchObject({
      pointer: '/aggregator/link_schemes/value',
      code: 'not_confirmed',
    });
    expect((await allow('udss,tdsk', world.admin, 'tdsk')).status).toBe(200);
    expect((await world.portal.isolate()(`GET ${path}`, { token: await world.portal.login() })).status).toBe(
      200,
    );
    expect([(await renew('tdsk://north')).status, (await renew('udss://north')).status]).toEqual([200, 200]);
    for (const scheme of [
      'javascript',
      'data',
      'file',
      'vbscript',
      'blob',
      'http',
      ...['ms-msdt', 'search-ms', 'smb', 'intent', 'view-source', 'ms-officecmd', 'shell'],
      'UDSS',
      'udss,',
      'a b',
      ':',
    ]) {
      const refused = await allow(`tdsk,${scheme}`);
      expect([scheme, refused.status]).toEqual([scheme, 422]);
      expect(
        isAllowedLink(`${scheme}://x`, {
          link_schemes: `udss,${scheme}`,
          confirmed_link_schemes: scheme,
        }),
      ).toBe(scheme === 'UDSS');
    }
    expect((await allow('udss,tdsk', world.admin, '')).status).toBe(200);
    const { aggregator } = (await world.admin(`GET ${path}`)).body;
    expect(aggregator.link_schemes).toMatchObject({
      value: 'udss,tdsk',
      help: expect.stringContaining('Not used until they are confirmed: tdsk'),
    });
    expect((await renew('tdsk://north')).status).toBe(502);
    expect((await allow('')).status).toBe(200);
    expect([(await renew('udss://north')).status, (await renew('https://north')).status]).toEqual([502, 200]);
    expect((await allow('udss')).status).toBe(200);
  });

  it('has its schemes changed only by a caller with access to all sites', async () => {
    const permissions = ['system_parameters.read', 'system_parameters.update'];
    const narrow = await addMember(world, permissions, [site.id]);
    expect((await allow('udss,ms-msdt', narrow.ask)).status).toBe(403);
    const wide = await addMember(world, permissions);
    expect((await allow('udss', wide.ask)).status).toBe(200);
  });
});
