import { namesOfUsers } from '../../../../db/repositories/identity/account-names.ts';
import { authenticators } from '../../../../db/repositories/identity/authenticators.ts';
import { findImage } from '../../../../db/repositories/settings/images.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { foldName } from '../../../kernel/text.ts';
import { valuesAt } from '../file/paths.ts';
import { type Kind, kinds, type Section, sections } from '../kinds.ts';
import { bodyOf } from './bodies.ts';
import { Names } from './names.ts';
import type { Operator } from './operator.ts';

/** A record of the portal. */
export type PortalRecord = {
  kind: Kind;
  id: string;
  /** Unique within its section, for a group within its domain. */
  name: string;
  /** The record as returned by the API. */
  view: Record<string, unknown>;
  /** The record as an entry of a file, with ids instead of names and without secrets. */
  body: Record<string, unknown>;
  /** The domain of a group. */
  parent?: string;
  /** Built-in records cannot be changed. */
  builtin: boolean;
};

export type State = {
  records: Readonly<Record<Section, readonly PortalRecord[]>>;
  names: Names;
  /** SHA-256 of the pictures of rules by id. */
  pictures: ReadonlyMap<string, string>;
};

/** Reads all records that a file can describe. */
export async function readState(operator: Operator): Promise<State> {
  const pictures = new Map<string, string>();
  const records = {} as Record<Section, PortalRecord[]>;
  for (const section of sections) {
    const kind = kinds[section];
    const owners = section === 'groups' ? records.authenticators.map(({ id }) => id) : [undefined];
    records[section] = [];
    for (const parent of owners)
      for (const view of await listAll(operator, kind, parent)) {
        if (section === 'rules') await notePicture(operator, view, pictures);
        records[section].push(await storedOf(operator, kind, view, parent, pictures));
      }
  }
  return { records, names: await namesIn(operator, records), pictures };
}

/** The path parameters of the kind. */
export const pathOf = ({ idParam }: Kind, id?: string, parent?: string): Record<string, string> => ({
  ...(id !== undefined && { [idParam]: id }),
  ...(parent !== undefined && { auth_uuid: parent }),
});

type Page = { items: Record<string, unknown>[]; next: string | null };

async function listAll(operator: Operator, kind: Kind, parent: string | undefined): Promise<Page['items']> {
  const items: Page['items'] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { limit: '500', sort: 'name', ...(cursor !== null && { cursor }) };
    const { body } = await operator.call(`${kind.type}.list`, {
      params: pathOf(kind, undefined, parent),
      query,
    });
    const page = body as Page;
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return items;
}

/** Creates a record from its API representation. */
export async function storedOf(
  operator: Operator,
  kind: Kind,
  view: Record<string, unknown>,
  parent: string | undefined,
  pictures: ReadonlyMap<string, string>,
): Promise<PortalRecord> {
  const id = String(view.id);
  return {
    kind,
    id,
    name: String(view.name),
    view,
    body: bodyOf(kind, view, parent, pictures),
    ...(parent !== undefined && { parent }),
    builtin: kind.section === 'authenticators' ? await isBuiltinDomain(operator, id) : view.builtin === true,
  };
}

const isBuiltinDomain = async (operator: Operator, id: string): Promise<boolean> =>
  (await authenticators.find(operator.db, id, { scope: '*' }))?.builtin === true;

async function notePicture(
  operator: Operator,
  { image_id }: Record<string, unknown>,
  pictures: Map<string, string>,
): Promise<void> {
  if (typeof image_id !== 'string' || pictures.has(image_id)) return;
  const picture = await findImage(operator.db, image_id);
  if (picture) pictures.set(image_id, picture.digest);
}

async function namesIn(operator: Operator, records: State['records']): Promise<Names> {
  const names = new Names();
  const users = new Set<string>();
  const labels = new Map<string, string>();
  for (const { id, view } of records.authenticators) labels.set(id, String(view.small_name));
  for (const section of sections)
    for (const { id, name, parent, body, kind } of records[section]) {
      names.add(section, parent === undefined ? name : `${labels.get(parent)}/${name}`, id);
      for (const { path } of kind.references.filter(({ to }) => to === 'users'))
        for (const { value } of valuesAt(body, path)) users.add(String(value));
    }
  for (const { id, label, name } of await inSlices([...users], (ids) => namesOfUsers(operator.db, ids)))
    names.add('users', `${label}/${name}`, id);
  return names;
}

/** Splits a list, to bound the number of bind parameters. */
export async function inSlices<T, R>(
  items: readonly T[],
  work: (slice: readonly T[]) => Promise<R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += 500)
    results.push(...(await work(items.slice(from, from + 500))));
  return results;
}

/** Identifies an entry within its section. */
export const identityOf = (name: string, parent?: unknown): string =>
  parent === undefined ? foldName(name) : `${String(parent)}/${foldName(name)}`;

/** True if the secret at this path of the record is set. */
export function isSecretSet({ view }: PortalRecord, path: readonly string[]): boolean {
  const owner = path.slice(0, -1).reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), view);
  return isObject(owner) && owner[`${path.at(-1)}_set`] === true;
}
