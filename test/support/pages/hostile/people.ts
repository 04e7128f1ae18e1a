import { createAuthority } from '../../../simulator/authority.ts';
import { entry, groupDn, passwordOf, person } from '../../directories/entries.ts';
import { hasSlapd, reader, startSlapd, suffix } from '../../directories/slapd.ts';
import { addDirectory, addGroup, type World } from '../../factories.ts';
import { Browser } from '../../federation/browser.ts';
import { federate, staff } from '../../federation/stand.ts';
import { addScimGroup, addScimUser, startScim } from '../../identity/scim.ts';
import type { Json } from '../../portal.ts';
import { hostile, hostileNames } from './values.ts';

/** People and groups with hostile names of a directory, an identity provider and a client of SCIM. */
export type HostilePeople = { directory: Json | undefined; provider: Json; close(): Promise<void> };

export async function addHostilePeople(world: World): Promise<HostilePeople> {
  const directory = hasSlapd ? await addDirectoryPeople(world) : undefined;
  const federation = await addProviderPeople(world);
  await addProvisioned(world);
  return {
    directory: directory?.domain,
    provider: federation.domain,
    close: async () => {
      await federation.provider.close();
      await directory?.slapd.stop();
    },
  };
}

/** Each person signs in, so that the portal takes its names over. */
async function addDirectoryPeople(world: World) {
  const uids = ['<b hostile>', "' hostile onclick=1"];
  const group = hostile(64);
  const authority = await createAuthority('Directory');
  const ldif = [
    ...uids.map((uid) => person(uid, { cn: [hostile(), ...hostileNames], description: hostile() })),
    entry(groupDn(group), { objectClass: 'posixGroup', cn: group, gidNumber: '1000', memberUid: uids }),
  ].join('');
  const slapd = await startSlapd(await authority.issue(), ldif);
  const params = { hosts: [slapd.secureUrl], ca_certificate: authority.caPem, base_dn: suffix, ...reader };
  const domain = await addDirectory(world.admin, params, { name: hostile() });
  await addGroup(world.admin, domain, { name: group });
  for (const username of uids) {
    const body = { username, password: passwordOf(username), authId: domain.id };
    const { status, body: answer } = await world.portal.send('POST /api/auth/v7.0/login', { body });
    if (status !== 200) throw new Error(`${username}: ${status} ${JSON.stringify(answer)}`);
  }
  return { slapd, domain };
}

async function addProviderPeople(world: World) {
  const federation = await federate(world, '127.0.0.1');
  const { provider, domain, startOf } = federation;
  const { deps, send } = world.portal;
  await federation.set({}, { name: hostile() });
  for (const name of [hostile(64), ...hostileNames]) {
    const email = `${'e'.repeat(20)}"<b/hostile>@example.com`;
    const claims = { preferred_username: name, name: hostile(), email, groups: [staff, hostile()] };
    provider.people.set(name, claims);
    provider.atKeyboard = name;
    await new Browser({ baseUrl: deps.baseUrl, send }, () => provider.caPem).follow(startOf());
  }
  return { provider, domain };
}

async function addProvisioned(world: World): Promise<void> {
  const scim = await startScim(world);
  const users: Json[] = [];
  for (let count = 0; count < 3; count++)
    users.push(
      await addScimUser(scim, { userName: hostile(), displayName: hostile(), externalId: hostile(64) }),
    );
  await addScimGroup(scim, users, { displayName: hostile(), externalId: hostile(64) });
}
