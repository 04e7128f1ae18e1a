import { useQuery } from '@tanstack/preact-query';
import type {
  LocalizedCatalogue,
  LocalizedField,
  LocalizedKind,
  LocalizedVerb,
} from '../../../../shared/client/catalogue/record-kinds.ts';
import { facts, may, mayEverywhere } from '../facts.ts';

export type { LocalizedField as Field, LocalizedKind as Kind, LocalizedVerb as Verb };

/** A record as the API returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** Values of the path parameters of a kind whose records belong to other records. */
export type Parents = Readonly<Record<string, string>>;

const loaded: { catalogue?: Promise<LocalizedCatalogue> } = {};

async function readCatalogue(): Promise<LocalizedCatalogue> {
  loaded.catalogue ??= import(facts.records).then(
    (module: { default: LocalizedCatalogue }) => module.default,
  );
  try {
    return await loaded.catalogue;
  } catch (error) {
    delete loaded.catalogue;
    throw error;
  }
}

/** The kinds of records whose list the user may read; undefined while they are loaded. */
export function useKinds(): readonly LocalizedKind[] | undefined {
  const { data } = useQuery({
    queryKey: ['catalogue'],
    queryFn: async () => (await readCatalogue()).kinds.filter(({ list }) => allowed(list)),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 3,
  });
  return data;
}

export const kindOf = (
  kinds: readonly LocalizedKind[] | undefined,
  type: string,
): LocalizedKind | undefined => kinds?.find((kind) => kind.type === type);

export const fieldOf = ({ columns }: LocalizedKind, name: string): LocalizedField | undefined =>
  columns.find((column) => column.name === name);

/** The verb, if the user may use it. */
export const allowed = (verb: LocalizedVerb | undefined): LocalizedVerb | undefined =>
  verb && (verb.needsAllSites ? mayEverywhere : may)(verb.permissions) ? verb : undefined;

/** Members that name a record, the best first. */
const names = ['name', 'label', 'message', 'event', 'hostname', 'user', 'title'];

/** The member that names the records of a kind. */
export function titleField({ columns }: LocalizedKind): LocalizedField {
  const named = names.flatMap((name) => columns.filter((column) => column.name === name));
  const [first] = [...named, ...columns.filter(({ type }) => type === 'text'), ...columns];
  if (!first) throw new Error('a kind without members');
  return first;
}

export function titleOf(kind: LocalizedKind, row: Row): string {
  const value = row[titleField(kind).name] ?? row.id ?? row.uuid;
  return typeof value === 'string' && value !== '' ? value : '–';
}

/** The id of a record in addresses. A record without one is identified by its farm and its UUID. */
export function idOf({ idParam }: LocalizedKind, row: Row): string {
  const id = row[idParam ?? 'id'] ?? row.id ?? row.uuid ?? row.session_uuid;
  const farm = row.id === undefined && typeof row.farm_id === 'string' ? `${row.farm_id}:` : '';
  return `${farm}${String(id)}`;
}

/** The members of a form for an existing record. Their types are those of a new record, because a change can also be null. */
export function editedFields({ create, update }: LocalizedKind): LocalizedField[] {
  return (update?.fields ?? []).map((field) => {
    const ofNew = create?.fields?.find(({ name }) => name === field.name);
    if (!ofNew) return field;
    const { isRequired: _, ...rest } = ofNew;
    return { ...rest, ...(field.isImmutable && { isImmutable: true }) };
  });
}

/** True for the name of a referenced record, which is shown with the reference. */
export const isNameOfReference = ({ name }: LocalizedField, fields: readonly LocalizedField[]): boolean =>
  name.endsWith('_name') &&
  fields.some((field) => field.type === 'reference' && field.name === `${name.slice(0, -'_name'.length)}_id`);

/** True for the identifier of an object of a dispatcher that is shown by its name. */
export const isNamedBeside = ({ name, type }: LocalizedField, fields: readonly LocalizedField[]): boolean =>
  type === 'text' &&
  name.endsWith('_uuid') &&
  fields.some((field) => field.name === `${name.slice(0, -'_uuid'.length)}_name`);
