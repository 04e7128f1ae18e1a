import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../simulator/authority.ts';
import { groupOfNames, person, personDn } from '../../support/directories/entries.ts';
import {
  adAdmin,
  adDn,
  adSuffix,
  hasSamba,
  type Samba,
  startSamba,
} from '../../support/directories/samba.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../../support/directories/slapd.ts';
import { addDirectory, addGroup, groupsPath, startWorld, type World } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const names = Array.from({ length: 1_250 }, (_, at) => `crew${String(at).padStart(4, '0')}`);
const shuffled = names.toSorted((a, b) => Number(a.slice(-2)) - Number(b.slice(-2)));
let world: World;

/** The query of the next page by the `Link` header. */
const nextOf = (headers: Headers): string | undefined =>
  /^<(\?[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

async function pagesOf(made: Json, query: string): Promise<Json[][]> {
  const pages: Json[][] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const answer = await world.admin(`GET ${groupsPath(made)}/external${next}`);
    expect(answer).toMatchObject({ status: 200 });
    pages.push(answer.body);
    next = nextOf(answer.headers);
  }
  return pages;
}
const namesOf = (pages: Json[][]): string[] => pages.flat().map(({ name }) => name);

requireService('slapd', hasSlapd)('pages of the groups of OpenLDAP', () => {
  let slapd: Slapd;
  let made: Json;
  beforeAll(async () => {
    const ldif = [person('alice'), ...shuffled.map((cn) => groupOfNames(cn, [personDn('alice')]))].join('');
    slapd = await startSlapd(await (await createAuthority('Directories')).issue(), ldif);
    world = await startWorld();
    const params = { hosts: [slapd.url], base_dn: suffix, ...reader, group_class: 'groupOfNames' };
    made = await addDirectory(world.admin, { ...params, member_attribute: 'member' });
  });
  afterAll(async () => {
    await world.portal.close();
    await slapd.stop();
  });

  it('groups beyond one response are listed page by page, in the order of their names', async () => {
    await addGroup(world.admin, made, { name: 'crew1249' });
    const pages = await pagesOf(made, '?limit=500');
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 250]);
    expect(namesOf(pages)).toEqual(names);
    expect(pages.at(-1)?.at(-1)).toMatchObject({ name: 'crew1249', registered: true });
    const found = await pagesOf(made, '?limit=7&search=CREW12');
    expect([found.length, namesOf(found)]).toEqual([8, names.slice(1_200)]);
  });

  it('a page follows the previous name, whatever was added or removed meanwhile', async () => {
    const first = await world.admin(`GET ${groupsPath(made)}/external?limit=10`);
    const deletion = (cn: string) => `dn: cn=${cn},ou=groups,${suffix}\nchangetype: delete\n\n`;
    await slapd.change(`${deletion('crew0009')}${deletion('crew0010')}`);
    await slapd.change(
      `dn: cn=crew0004a,ou=groups,${suffix}\nchangetype: add\nobjectClass: groupOfNames\ncn: crew0004a\nmember: ${personDn('alice')}`,
    );
    const second = await world.admin(`GET ${groupsPath(made)}/external${nextOf(first.headers)}`);
    expect(namesOf([second.body])).toEqual(names.slice(11, 21));
  });

  it('a cursor of another search or another domain is refused', async () => {
    const { headers } = await world.admin(`GET ${groupsPath(made)}/external?limit=5`);
    const next = nextOf(headers);
    const params = { hosts: [slapd.url], base_dn: suffix, ...reader };
    const other = await addDirectory(world.admin, params);
    for (const path of [`${groupsPath(other)}/external${next}`, `${groupsPath(made)}/external${next}x`]) {
      const answer = await world.admin(`GET ${path}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'malformed_cursor']);
    }
    const searched = next?.replace('search=', 'search=crew');
    const answer = await world.admin(`GET ${groupsPath(made)}/external${searched}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_cursor']);
  });
});

requireService('samba', hasSamba)('pages of the groups of Active Directory (Samba)', () => {
  let samba: Samba;
  beforeAll(async () => {
    samba = await startSamba(await createAuthority('Directories'));
    for (const name of shuffled) await samba.addGroup(name, []);
    world = await startWorld();
  }, 240_000);
  afterAll(async () => {
    await world.portal.close();
    await samba.stop();
  });

  it('groups beyond the response limit of the server are listed page by page', async () => {
    const params = { hosts: [samba.url], base_dn: adSuffix, ...adAdmin, page_size: 1000, timeout_s: 30 };
    const made = await addDirectory(world.admin, params, { type: 'active_directory' });
    await addGroup(world.admin, made, { external_id: adDn('crew1249') });
    const pages = await pagesOf(made, '?limit=500&search=crew');
    expect(namesOf(pages)).toEqual(names);
    expect(pages.at(-1)?.at(-1)).toMatchObject({ name: 'crew1249', registered: true });
  });
});
