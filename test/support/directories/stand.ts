import { type Authority, createAuthority } from '../../simulator/authority.ts';
import { addDirectory, addGroup, startWorld, type World } from '../factories.ts';
import type { Answer, Json } from '../portal.ts';
import { passwordOf } from './entries.ts';
import { reader, type Slapd, startSlapd, suffix } from './slapd.ts';

/** A portal beside a slapd with a certificate of a private authority. */
export type DirectoryStand = {
  world: World;
  slapd: Slapd;
  authority: Authority;
  /** A domain that searches as the reader by TLS; given parameters take precedence. */
  domain(params?: Json, given?: Json): Promise<Json>;
  /** The same with a registered group, matched by name by default. */
  domainFor(group: string, params?: Json, given?: Json): Promise<Json>;
  /** A login with the right password, unless another is given. */
  logIn(domain: Json, username: string, password?: string): Promise<Answer>;
  close(): Promise<void>;
};

export async function startDirectoryStand(ldif: string): Promise<DirectoryStand> {
  const authority = await createAuthority('Directories');
  const [slapd, world] = [await startSlapd(await authority.issue(), ldif), await startWorld()];
  const domain: DirectoryStand['domain'] = (params = {}, given = {}) =>
    addDirectory(
      world.admin,
      { hosts: [slapd.secureUrl], ca_certificate: authority.caPem, base_dn: suffix, ...reader, ...params },
      given,
    );
  return {
    world,
    slapd,
    authority,
    domain,
    domainFor: async (group, params, given) => {
      const made = await domain(params, given);
      await addGroup(world.admin, made, { name: group });
      return made;
    },
    logIn: ({ id }, username, password = passwordOf(username)) =>
      world.portal.send('POST /api/auth/v7.0/login', { body: { username, password, authId: id } }),
    close: async () => {
      await world.portal.close();
      await slapd.stop();
    },
  };
}
