import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  addGroup,
  audited,
  create,
  domainBody,
  domainsPath,
  startWorld,
  usersPath,
  useStand,
} from '../../support/factories.ts';
import { Browser, isAlive } from '../../support/federation/browser.ts';
import { checksOf } from '../../support/federation/checks.ts';
import { type Doubles, startDoubles } from '../../support/federation/doubles.ts';
import { adfs } from '../../support/federation/providers/adfs.ts';
import { auth0 } from '../../support/federation/providers/auth0.ts';
import { authentik } from '../../support/federation/providers/authentik.ts';
import { cognito } from '../../support/federation/providers/cognito.ts';
import { entra } from '../../support/federation/providers/entra.ts';
import { gitlab } from '../../support/federation/providers/gitlab.ts';
import { glewlwyd } from '../../support/federation/providers/glewlwyd.ts';
import { google } from '../../support/federation/providers/google.ts';
import { keycloak } from '../../support/federation/providers/keycloak.ts';
import { lemonldap } from '../../support/federation/providers/lemonldap.ts';
import { okta } from '../../support/federation/providers/okta.ts';
import type { ProviderProfile } from '../../support/federation/providers/profile.ts';
import { zitadel } from '../../support/federation/providers/zitadel.ts';
import type { Json } from '../../support/portal.ts';

/** The settings of the guide by the title of their section. */
const text = readFileSync(new URL('../../../functions/federation/providers.md', import.meta.url), 'utf8');
const guide = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const settings = /```json\n([\s\S]*?)```/.exec(section)?.[1];
      return settings === undefined
        ? []
        : [[section.split('\n')[0] ?? '', JSON.parse(settings) as Json] as const];
    }),
);

/** The first code of the guide that begins so. */
const inGuide = (beginning: string): string =>
  [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, code = '']) => code)
    .find((code) => code.startsWith(beginning)) ?? '';

type Row = {
  title: string;
  profile: ProviderProfile;
  person: { name: string; email: string };
  /** A value of the person that lets them in: of a group, or of a required claim. */
  admitting: string;
  scope: string;
  /** Something that is required comes from the userinfo endpoint. */
  needsUserinfo?: true;
  /** Steps of the test of the settings that give no result. */
  unclear?: string[];
  /** A withdrawn refresh token ends the session. Otherwise it continues, because the provider does not say that it is withdrawn. */
  revokes?: false;
  logOut?: 'none';
};

const mail = 'ada@example.com';
const ada = { name: 'ada', email: mail };
const byMail = { name: mail, email: mail };
const offline = 'openid profile email offline_access';
const usual = 'openid profile email';

const rows: Row[] = [
  {
    title: 'Microsoft Entra ID',
    profile: entra,
    person: byMail,
    admitting: '5b7c0c1e-7d0f-4f0e-8a4a-0d9a2f0b6c11',
    scope: offline,
  },
  {
    title: 'Google',
    profile: google,
    person: byMail,
    admitting: 'example.com',
    scope: usual,
    logOut: 'none',
  },
  { title: 'Keycloak', profile: keycloak, person: ada, admitting: 'engineers', scope: offline },
  {
    ...{ title: 'Okta', needsUserinfo: true, profile: okta, person: byMail, admitting: 'engineers' },
    ...{ scope: 'openid profile email groups offline_access' },
  },
  { title: 'AD FS', profile: adfs, person: byMail, admitting: 'engineers', scope: 'openid allatclaims' },
  {
    title: 'GitLab',
    needsUserinfo: true,
    profile: gitlab,
    person: ada,
    admitting: 'example/engineers',
    scope: usual,
    logOut: 'none',
  },
  {
    title: 'authentik',
    profile: authentik,
    person: { name: 'ada', email: '' },
    admitting: 'engineers',
    scope: offline,
  },
  {
    title: 'Zitadel',
    needsUserinfo: true,
    profile: zitadel,
    person: byMail,
    admitting: 'engineers',
    scope: offline,
  },
  { title: 'Auth0', profile: auth0, person: byMail, admitting: 'engineers', scope: offline },
  {
    title: 'Amazon Cognito',
    profile: cognito,
    person: ada,
    admitting: 'engineers',
    scope: usual,
    logOut: 'none',
  },
  {
    ...{
      title: 'LemonLDAP::NG',
      needsUserinfo: true,
      profile: lemonldap,
      person: ada,
      admitting: 'engineers',
    },
    scope: 'openid profile email groups offline_access',
  },
  {
    title: 'Glewlwyd',
    profile: glewlwyd,
    person: ada,
    admitting: 'engineers',
    scope: usual,
    revokes: false,
    unclear: ['authentication: skipped'],
  },
];

it('the guide has settings for each provider of the table', () => {
  expect([...guide.keys()]).toEqual(rows.map(({ title }) => title));
});

describe('with the settings of the guide', () => {
  const stand = useStand(async () => {
    const doubles: Doubles = await startDoubles();
    const world = await startWorld({ network: doubles.through });
    const { baseUrl } = world.portal.deps;
    return {
      ...{ doubles, world, baseUrl, check: checksOf(world.portal) },
      close: async () => {
        await world.portal.close();
        await doubles.close();
      },
    };
  });

  /** A domain with the settings of the guide, at a double of the provider. */
  async function connect({ title, profile, admitting }: Row) {
    const { doubles, world, baseUrl } = stand;
    const { admin } = world;
    const settings = guide.get(title);
    const registration = {
      id: settings.client_id,
      secret: 'a secret: 50% + 2/3',
      redirectUri: `${baseUrl}/api/auth/v7.0/oidc/callback`,
    };
    const double = doubles.add(profile, registration);
    const params = { ...settings, client_secret: registration.secret, ca_certificate: doubles.caPem };
    const body = domainBody({ type: 'oidc', params });
    const domain = await create(admin, domainsPath, body);
    const group =
      settings.groups_claim === ''
        ? undefined
        : await addGroup(admin, domain, { name: 'Engineers', external_id: admitting });
    return { double, body, domain, group };
  }

  async function signIn(domain: Json): Promise<Browser> {
    const { doubles, world, baseUrl } = stand;
    const browser = new Browser({ baseUrl, send: world.portal.send }, () => doubles.caPem);
    const started = await browser.open(`${baseUrl}/api/auth/v7.0/oidc/${domain.id}/start`);
    const location = started.headers.get('location');
    if (location === null) return browser;
    const answer = await browser.open(doubles.at(location));
    const action = /action="([^"]+)"/.exec(answer.body)?.[1];
    if (action === undefined) await browser.open(answer.headers.get('location') ?? '');
    else {
      const fields = [...answer.body.matchAll(/name="([^"]+)" value="([^"]+)"/g)];
      await browser.open(
        action,
        Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
      );
    }
    return browser;
  }

  async function usersOf(domain: Json): Promise<Json[]> {
    const { admin } = stand.world;
    const { items } = (await admin(`GET ${usersPath(domain)}`)).body;
    return Promise.all(
      items.map(async ({ id }: Json) => (await admin(`GET ${usersPath(domain)}/${id}`)).body),
    );
  }

  it('Microsoft Entra ID is asked for the authentication context that counts as a second factor', async () => {
    const [row] = rows;
    if (!row) throw new Error('no rows');
    const { double, domain } = await connect(row);
    const params = {
      ...JSON.parse(`{${inGuide('"acr_values": ')}, ${inGuide('"authorization_parameters": ')}}`),
    };
    expect((await stand.world.admin(`PATCH ${domainsPath}/${domain.id}`, { params })).status).toBe(200);
    await signIn(domain);
    expect(params.acr_values).toEqual(['c1']);
    expect(JSON.parse(double.requested.claims ?? '')).toEqual({
      id_token: { acrs: { essential: true, value: 'c1' } },
    });
  });

  describe.each(rows)('a domain at $title', (row) => {
    let at: Awaited<ReturnType<typeof connect>>;
    beforeAll(async () => {
      at = await connect(row);
    });
    afterEach(() => at.double.restore());

    it('passes the test of its settings', async () => {
      const { body } = await stand.world.admin(`POST ${domainsPath}/test/oidc`, at.body);
      const open = body.checks.filter(({ status }: Json) => status !== 'pass');
      expect(open.map(({ name, status }: Json) => `${name}: ${status}`)).toEqual(row.unclear ?? []);
    });

    it('signs a person in, with login name, full name, address and groups', async () => {
      const { double, domain, group } = at;
      const browser = await signIn(domain);
      expect(await isAlive(browser)).toBe(true);
      expect(double.requested.scope).toBe(row.scope);
      const groups = group ? [group.id] : [];
      expect(await usersOf(domain)).toMatchObject([{ ...row.person, real_name: 'Ada Lovelace', groups }]);
    });

    it('refuses a person without what admits them', async () => {
      const { double, domain } = at;
      double.replace(row.admitting, 'another');
      const { result, events } = await audited(stand.world.portal, () => signIn(domain));
      expect(await isAlive(result)).toBe(false);
      const details = at.group
        ? { code: 'no_registered_group' }
        : { reason: 'claim_not_allowed', claim: 'hd' };
      expect(events).toMatchObject([{ event: 'portal.LoginFailed', details }]);
    });

    it('needs the userinfo endpoint only for what the ID token lacks', async () => {
      const { double, domain } = at;
      double.refuses.add('accessToken');
      expect(await isAlive(await signIn(domain))).toBe(row.needsUserinfo !== true);
    });

    it('reports that the provider refuses the portal, with the code of the provider', async () => {
      const { double, domain } = at;
      double.refuses.add('client');
      const { result, events } = await audited(stand.world.portal, () => signIn(domain));
      expect(await isAlive(result)).toBe(false);
      const code = row.profile.errors.client.body?.error;
      const details = code ? { code: 'upstream_refused', provider_code: code } : { code: 'upstream_failed' };
      expect(events).toMatchObject([{ event: 'portal.LoginFailed', details }]);
    });

    it('ends a session at the next check after the person is no longer admitted', async () => {
      const { double, domain } = at;
      const browser = await signIn(domain);
      await stand.check();
      expect(await isAlive(browser)).toBe(true);
      double.replace(row.admitting, 'another');
      await stand.check();
      expect(await isAlive(browser)).toBe(false);
    });

    it('ends a session whose refresh token is withdrawn, if the provider says so', async () => {
      const { double, domain } = at;
      const browser = await signIn(domain);
      double.revoke();
      await stand.check();
      expect(await isAlive(browser)).toBe(row.revokes === false);
    });

    it('logs out at the provider with an address that it accepts, or leads to the sign-in page', async () => {
      const { domain } = at;
      const browser = await signIn(domain);
      const { body } = await browser.send('POST /api/auth/v7.0/oidc/sign-out');
      expect(await isAlive(browser)).toBe(false);
      if (row.logOut === 'none') return expect(body.location).toBe('/signin?step=signed_out');
      const url = new URL(body.location);
      expect(`${url.origin}${url.pathname}`).toBe(row.profile.discovery.end_session_endpoint);
      expect(url.href.length).toBeLessThan(2_000);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        id_token_hint: expect.stringContaining('.'),
        client_id: guide.get(row.title).client_id,
        post_logout_redirect_uri: `${stand.baseUrl}/api/auth/v7.0/oidc/signed-out`,
        state: expect.any(String),
      });
    });
  });
});
