import { stringify } from 'yaml';
import { findImage } from '../../../db/repositories/settings/images.ts';
import { findDomainType } from '../../identity/domains/registry.ts';
import { canonicalJson, isObject } from '../../kernel/json/json.ts';
import { foldName } from '../../kernel/text.ts';
import { replacedAt, valuesAt, withMember } from './file/paths.ts';
import { pictureName } from './file/pictures.ts';
import { secretPrefix } from './file/placeholders.ts';
import { type Section, sections } from './kinds.ts';
import type { Names } from './records/names.ts';
import type { Operator } from './records/operator.ts';
import { isSecretSet, type PortalRecord, readState, type State } from './records/state.ts';

type Entry = Record<string, unknown>;

/** Exports the installation as a configuration file: sorted, without defaults, with placeholders for secrets. */
export async function exportText(
  operator: Operator,
  selected: readonly Section[] = sections,
): Promise<string> {
  const state = await readState(operator);
  const images = selected.includes('rules') ? await picturesOf(operator, state) : [];
  const taken = new Set<string>();
  const lists = selected.map((section) => [
    section,
    state.records[section]
      .filter(isExported)
      .toSorted(byName)
      .map((stored) => entryOf(stored, state.names, taken)),
  ]);
  const present = [['images', images] as const, ...lists].filter(([, list]) => list && list.length > 0);
  const body = present.length > 0 ? stringify(Object.fromEntries(present), { lineWidth: 0 }) : '{}\n';
  return `${header}${body}`;
}

const header = `# yaml-language-server: $schema=aggregator.schema.json
# Where the API has the id of an object, this file has its name. Secrets are placeholders.
`;

/** Built-in records cannot be changed, and tags of dispatchers are created automatically. */
const isExported = ({ builtin, view }: PortalRecord): boolean => !builtin && view.source !== 'dispatcher';

function byName(a: PortalRecord, b: PortalRecord): number {
  const order = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
  return order(foldName(a.name), foldName(b.name)) || order(String(a.parent), String(b.parent));
}

function entryOf(stored: PortalRecord, names: Names, taken: Set<string>): Entry {
  const { kind } = stored;
  let entry: Entry = withoutDefaults(stored);
  for (const { path } of kind.references) {
    const replaced = replacedAt(entry, path, (id) => (typeof id === 'string' ? names.nameOf(id) : id));
    if (isObject(replaced)) entry = sortedAt(replaced, path);
  }
  for (const path of kind.secrets.filter((one) => isSecretSet(stored, one)))
    entry = withMember(entry, path, `\${env:${variableFor(stored, path, taken)}}`);
  return entry;
}

/** The members that differ from their defaults, in the order of the schema. */
function withoutDefaults({ kind, name, body, view }: PortalRecord): Entry {
  const members = Object.keys(kind.shape.shape).flatMap((member) => {
    const value = member === 'params' ? paramsOf(view.type, body.params) : body[member];
    const isImplied = member === 'display_name' && value === name;
    return isImplied || isDefault(kind.shape.shape[member], value) ? [] : [[member, value] as const];
  });
  const { name: own, ...others } = Object.fromEntries(members);
  return { name: own, ...others };
}

type Parsing = { safeParse(value: unknown): { success: boolean; data?: unknown } };

const isDefault = (shape: Parsing | undefined, value: unknown): boolean => {
  const absent = shape?.safeParse(undefined);
  return absent?.success === true && canonicalJson(absent.data ?? null) === canonicalJson(value ?? null);
};

function paramsOf(type: unknown, params: unknown): Entry {
  const shape: Record<string, Parsing> = findDomainType(type)?.settings.shape.shape ?? {};
  const own = isObject(params) ? params : {};
  return Object.fromEntries(
    Object.keys(shape).flatMap((name) => (isDefault(shape[name], own[name]) ? [] : [[name, own[name]]])),
  );
}

/** Sorts unordered lists by the contained names, because ids differ between installations. */
function sortedAt(entry: Entry, path: readonly string[]): Entry {
  const at = path.indexOf('*');
  if (at === -1) return entry;
  const list = path.slice(0, at);
  const key = (value: unknown): string =>
    canonicalJson([...valuesAt(value, path.slice(at + 1)).map((found) => found.value), value]);
  const sorted = replacedAt(entry, list, (value) =>
    Array.isArray(value) ? value.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) : value,
  );
  return isObject(sorted) ? sorted : entry;
}

/** A unique name of a variable in the file: `PORTAL_SECRET_DISPATCHER_NORTH_1_HEALTH_KEY`. */
function variableFor({ kind, name }: PortalRecord, path: readonly string[], taken: Set<string>): string {
  const own = `${kind.type}_${name}_${path.at(-1)}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const words = `${secretPrefix}${own}`;
  let variable = words;
  for (let number = 2; taken.has(variable); number++) variable = `${words}_${number}`;
  taken.add(variable);
  return variable;
}

/** The pictures of rules, named after their SHA-256, because the portal stores no names of pictures. */
async function picturesOf(operator: Operator, { pictures, names }: State): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  for (const [id, digest] of pictures) {
    const name = pictureName(digest);
    names.add('images', name, digest);
    if (entries.has(digest)) continue;
    const picture = await findImage(operator.db, id);
    if (!picture) continue;
    const { mediaType, content } = picture;
    entries.set(digest, { name, image: `data:${mediaType};base64,${content}` });
  }
  return [...entries.values()].toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}
