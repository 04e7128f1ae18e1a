import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { groups } from '../../../db/schema/identity/groups.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { person, posixGroup } from '../directories/entries.ts';
import { type Slapd, startSlapd, suffix } from '../directories/slapd.ts';
import type { Answer, Json, TestPortal } from '../portal.ts';
import type { CardFiles } from './cards.ts';
import { type Kdc, startKdc } from './kdc.ts';

export const path = (domain: Json, step: 'login' | 'raw' | 'finalize') =>
  `PATCH /api/auth/v7.0/authenticators/${domain.id}/pkinit/${step}`;

/** A KDC beside a slapd that everyone may read; `directory` has the parameters of a domain for it. */
export type Realm = Kdc & { slapd: Slapd; directory: Json };

/** Accounts of the directory of a realm: all are in the group `staff`. */
const holders = ['alice', 'bob', 'carol', 'dave'];

export async function startRealm(): Promise<Realm> {
  const authority = await createAuthority('Directories');
  const ldif = [...holders.map((uid) => person(uid)), posixGroup('staff', holders)].join('');
  const [kdc, slapd] = await Promise.all([
    startKdc(),
    startSlapd(await authority.issue(), ldif, { isPublic: true }),
  ]);
  const stop = async () => {
    await Promise.all([kdc.stop(), slapd.stop()]);
  };
  return { ...kdc, slapd, directory: { hosts: [slapd.url], base_dn: suffix }, stop };
}

/**
 * A domain of the realm with its group, written directly to its table; `kerberos` changes its parameters, `given` its
 * row.
 */
export async function addCardDomain(
  { db }: Pick<TestPortal, 'db'>,
  kdc: Pick<Realm, 'realm' | 'address' | 'anchors' | 'directory'>,
  kerberos: Json = {},
  given: Partial<typeof authenticators.$inferInsert> = {},
): Promise<{ id: string; name: string }> {
  const [id, name] = [newId(), `realm-${newId()}`];
  const names = { name, name_key: name, small_name: name, small_name_key: name };
  const parameters = { realm: kdc.realm, kdc: [kdc.address], anchors: kdc.anchors, ...kerberos };
  const params = { ...kdc.directory, timeout_s: 5, kerberos: parameters };
  await db.insert(authenticators).values({ id, ...names, type: 'ldap', params, ...given });
  const group = { id: newId(), authenticator_id: id, name: 'staff', name_key: 'staff' };
  await db.insert(groups).values(group);
  return { id, name };
}

export async function addCardUser(
  { db }: Pick<TestPortal, 'db'>,
  domain: Json,
  name: string,
  given: Partial<typeof users.$inferInsert> = {},
): Promise<string> {
  const id = newId();
  await db.insert(users).values({ id, authenticator_id: domain.id, name, name_key: name, ...given });
  return id;
}

type Sending = { send(route: string, options: { body: Json; ip?: string }): Promise<Answer> };

export const begin = (portal: Sending, domain: Json, card: CardFiles, given: Json = {}): Promise<Answer> =>
  portal.send(path(domain, 'login'), { body: { certificate: card.certificate, ...given } });

export const finalize = (portal: Sending, domain: Json, body: Json, ip?: string): Promise<Answer> =>
  portal.send(path(domain, 'finalize'), { body, ...(ip && { ip }) });

/** The complete login, or the response of the first step when it is refused. */
export async function signIn(
  portal: Sending,
  domain: Json,
  card: CardFiles,
  given: Json = {},
): Promise<Answer> {
  const begun = await begin(portal, domain, card, given);
  if (begun.status !== 200) return begun;
  const { challenge_id, data_to_sign } = begun.body;
  return finalize(portal, domain, { challenge_id, signature: await card.sign(data_to_sign) });
}
