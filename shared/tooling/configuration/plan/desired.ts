import { usersNamed } from '../../../../db/repositories/identity/account-names.ts';
import { newId } from '../../../kernel/ids.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { foldName } from '../../../kernel/text.ts';
import { fieldErrors } from '../../../shapes/field-errors.ts';
import { type Configuration, type Entry, fault, placeOf } from '../file/document.ts';
import { ConfigurationFault, gathered } from '../file/fault.ts';
import { replacedAt, valuesAt } from '../file/paths.ts';
import { kinds, type Section, type Target } from '../kinds.ts';
import { checkBody } from '../records/bodies.ts';
import { didYouMean, nearestOf } from '../records/names.ts';
import type { Operator } from '../records/operator.ts';
import { memberNames } from '../records/schema-members.ts';
import { identityOf, inSlices, type PortalRecord, type State } from '../records/state.ts';

/** A validated entry of a file, and the record with the same name. */
export type DesiredRecord = {
  entry: Entry;
  /** The id of the record, or a temporary id until it is created. */
  id: string;
  /** With ids instead of names, and without secrets. */
  body: Record<string, unknown>;
  stored: PortalRecord | undefined;
};

/**
 * Finds the record of each entry, replaces names by ids and validates the members.
 * @throws ConfigurationFault with one line per error
 */
export async function readDesired(
  operator: Operator,
  configuration: Configuration,
  state: State,
): Promise<DesiredRecord[]> {
  await addUsers(operator, configuration, state);
  const matched = matchAll(configuration, state);
  return gathered(matched, ({ entry, id, stored }) => ({
    entry,
    id,
    stored,
    body: checked(configuration, state, entry),
  }));
}

/** Registers the names of users that the file refers to. */
async function addUsers(operator: Operator, { entries }: Configuration, { names }: State): Promise<void> {
  const desired = new Map<string, { labelKey: string; nameKey: string }>();
  for (const { kind, content } of entries)
    for (const { path } of kind.references.filter(({ to }) => to === 'users'))
      for (const { value } of valuesAt(content, path)) {
        const [, label, name] = /^([^/]+)\/(.+)$/.exec(String(value)) ?? [];
        if (label === undefined || name === undefined) continue;
        desired.set(String(value), { labelKey: foldName(label), nameKey: foldName(name) });
      }
  const found = await inSlices([...desired.values()], (slice) => usersNamed(operator.db, slice));
  for (const { id, label, name } of found) names.add('users', `${label}/${name}`, id);
}

type MatchedEntry = Pick<DesiredRecord, 'entry' | 'id' | 'stored'>;

/** Domains are matched before groups, which are identified within their domain. */
function matchAll({ file, entries }: Configuration, { records, names }: State): MatchedEntry[] {
  const seen = new Map<string, Entry>();
  const labels = new Map<unknown, string>(
    records.authenticators.map(({ id, view }) => [id, String(view.small_name)]),
  );
  return gathered(entries, (entry) => {
    const { kind, name, content, at } = entry;
    const owner = kind.section === 'groups' ? ownerOf(content.authenticator_id, names) : undefined;
    const identity = identityOf(name, owner);
    const twin = seen.get(`${kind.section} ${identity}`);
    if (twin) throw fault(file, at, `the same name as ${placeOf(file, twin.at)}`);
    seen.set(`${kind.section} ${identity}`, entry);
    const stored = records[kind.section].find(
      (record) => identityOf(record.name, record.parent) === identity,
    );
    const id = stored?.id ?? newId();
    if (kind.section === 'authenticators') labels.set(id, String(content.small_name ?? labels.get(id)));
    names.add(kind.section, owner === undefined ? name : `${labels.get(owner)}/${name}`, id);
    return { entry, id, stored };
  });
}

const ownerOf = (name: unknown, names: State['names']): string =>
  (typeof name === 'string' && names.idOf('authenticators', name)) || '';

function checked({ file }: Configuration, { names }: State, entry: Entry): Record<string, unknown> {
  const { content, lines } = withIds(file, entry, names);
  const result = checkBody(entry.kind, content);
  const faults = 'error' in result ? fieldErrors(result.error, '/') : [];
  for (const { pointer, code, detail } of faults)
    lines.push(lineOf(file, entry, pointer, code === 'required' ? 'is required' : String(detail), code));
  if (lines.length > 0) throw new ConfigurationFault(...lines);
  return 'body' in result ? result.body : {};
}

/** The content of an entry with ids instead of names, and a line for each unknown name. */
function withIds(file: Configuration['file'], { kind, at, content: own }: Entry, names: State['names']) {
  const lines: string[] = [];
  let content: Record<string, unknown> = own;
  for (const { path, to } of kind.references) {
    const replaced = replacedAt(content, path, (name) =>
      typeof name === 'string' ? (names.idOf(to, name) ?? newId()) : name,
    );
    for (const { at: place, value } of valuesAt(content, path))
      if (typeof value === 'string' && names.idOf(to, value) === undefined)
        lines.push(`${placeOf(file, [...at, ...place])}: ${unknownName(to, value, names)}`);
    if (isObject(replaced)) content = replaced;
  }
  return { content, lines };
}

const forms: Partial<Record<Target, string>> = {
  users: '; a user is written <label of the domain>/<name>',
  groups: '; a group is written <label of the domain>/<name>',
  images: ' in the section images',
};

function unknownName(to: Target, name: string, names: State['names']): string {
  const type = isSection(to) ? kinds[to].type.replaceAll('_', ' ') : to.replace(/s$/, '');
  return `there is no ${type} ${name}${didYouMean(names.nearest(to, name)) || (forms[to] ?? '')}`;
}

const isSection = (to: Target): to is Section => to in kinds;

/** A line for an error of one member, by its pointer in the entry. */
export function lineOf(
  file: Configuration['file'],
  { kind, at }: Entry,
  pointer: string,
  detail: string,
  code?: string,
): string {
  const steps = pointer.split('/').slice(1).map(unescaped);
  const path = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const place = placeOf(file, [...at, ...path]);
  if (code !== 'unknown') return `${place}: ${detail}`;
  const others = memberNames(kind, steps.slice(0, -1));
  return `${place}: unknown member${didYouMean(nearestOf(steps.at(-1) ?? '', others))}`;
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
