import type { Db } from '../../db/client.ts';
import { dispatchers } from '../../db/schema/sites/dispatchers.ts';
import { farms } from '../../db/schema/sites/farms.ts';
import { sites } from '../../db/schema/sites/sites.ts';
import { newId } from '../../shared/kernel/ids.ts';

type Site = Partial<typeof sites.$inferInsert>;
type Farm = Partial<typeof farms.$inferInsert>;
type Dispatcher = Partial<typeof dispatchers.$inferInsert>;

const unique = (kind: string): string => `${kind}-${newId()}`;

/** A site, written directly to its table; its uri is its name by default. */
export async function addSite(db: Db, given: Site = {}): Promise<{ id: string; uri: string }> {
  const { name = unique('site'), uri = name } = given;
  const id = newId();
  await db.insert(sites).values({ ...given, id, name, name_key: name, uri });
  return { id, uri };
}

export async function addFarm(db: Db, siteId: string, given: Farm = {}): Promise<string> {
  const { name = unique('farm') } = given;
  const id = newId();
  await db.insert(farms).values({ ...given, id, name, name_key: name, site_id: siteId });
  return id;
}

export async function addDispatcher(db: Db, farmId: string, given: Dispatcher = {}): Promise<string> {
  const { id = newId(), name = unique('node'), url = 'https://node.example' } = given;
  await db.insert(dispatchers).values({ ...given, id, name, name_key: name, farm_id: farmId, url });
  return id;
}

/** A site with one farm and one node in it. */
export async function addNode(
  db: Db,
  dispatcher: Dispatcher = {},
  { site, farm }: { site?: Site; farm?: Farm } = {},
): Promise<{ id: string; siteId: string; uri: string }> {
  const { id: siteId, uri } = await addSite(db, site);
  const id = await addDispatcher(db, await addFarm(db, siteId, farm), dispatcher);
  return { id, siteId, uri };
}
