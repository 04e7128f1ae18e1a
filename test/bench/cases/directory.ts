import { createApi } from '../../e2e/support/api.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { passwordOf, person, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../../support/directories/slapd.ts';
import type { Target } from '../load.ts';

/** @returns a directory with one user and a group, or undefined where slapd is not installed */
export async function startDirectory(): Promise<Slapd | undefined> {
  if (!hasSlapd) return undefined;
  const ldif = person('alice') + posixGroup('staff', ['alice']);
  return startSlapd(await (await createAuthority()).issue(), ldif);
}

/** Creates a domain of the directory. @returns the login of its user */
export async function loginByDirectory(
  url: string,
  portal: { url: string; adminToken: string },
  floorUrl: string,
): Promise<{ portal: Target; floor: Target }> {
  const api = createApi(portal.url);
  const { adminToken: token } = portal;
  const path = '/api/webui/aggregator/authenticators';
  const params = { hosts: [url], base_dn: suffix, ...reader };
  const domain = { name: 'Directory', small_name: 'directory', type: 'ldap', params };
  const { body: made } = await api.send(`POST ${path}`, { token, body: domain });
  await api.send(`POST ${path}/${made.id}/groups`, { token, body: { name: 'staff' } });
  await api.close();
  const body = JSON.stringify({ username: 'alice', password: passwordOf('alice'), authId: made.id });
  const headers = { 'content-type': 'application/json' };
  return {
    portal: { url: `${portal.url}/api/auth/v7.0/login`, headers, body },
    floor: { url: `${floorUrl}/floor/login-by-directory`, headers, body },
  };
}
