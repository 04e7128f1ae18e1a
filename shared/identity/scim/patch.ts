import type { Filter } from '../../../db/repositories/identity/scim/filter.ts';
import type { Work } from '../../kernel/concurrency/work.ts';
import { canonicalJson, isObject } from '../../kernel/json/json.ts';
import { message } from '../../messages/message.ts';
import { type AttributeFacts, findFacts } from './attributes.ts';
import { assertFew, canonicalValue, type Json } from './canonical.ts';
import { scimError } from './errors.ts';
import { conditionsIn, meets } from './evaluate.ts';
import { type PatchPath, parsePath } from './patch-path.ts';

/** An operation of a PATCH request. The name has any case. */
export type PatchOperation = { op: string; path?: string | null | undefined; value?: unknown };
type Verb = 'add' | 'replace' | 'remove';

/** A schema whose attributes an operation can change. `urn` is its name, `readOnly` has those that only the portal sets. */
export type Patched = { urn: string; facts: readonly AttributeFacts[]; readOnly: readonly string[] };

/** One change of one attribute. */
export type Change = { verb: Verb; path: PatchPath; value: unknown };

const mostChanges = 1_000;
/** Attributes of every resource that the portal sets. */
export const readOnly: readonly string[] = ['id', 'meta', 'schemas'];

/**
 * Resolves the operations to changes of known attributes. An operation without a path changes the attributes that its value
 * names; their names can be paths. Unknown attributes and other schemas are left out.
 * @throws AppError `invalid_request`
 */
export async function changesOf(
  operations: readonly PatchOperation[],
  patched: Patched,
  work: Work,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const operation of operations) {
    changes.push(...changesIn(operation, patched, work));
    if (changes.length > mostChanges)
      throw scimError(
        'tooMany',
        message('A request can have at most {limit} changes', { limit: mostChanges }),
      );
    await work.pause();
  }
  return changes;
}

function changesIn({ op, path, value }: PatchOperation, patched: Patched, work: Work): Change[] {
  const verb = verbOf(op);
  if (typeof path === 'string' && path !== '') {
    const parsed = parsePath(path, work);
    if (patched.readOnly.includes(parsed.name.toLowerCase()) && isOwn(parsed, patched))
      throw scimError('mutability', message('The attribute {name} cannot be changed', { name: parsed.name }));
    return isKnown(parsed, patched) ? [{ verb, path: parsed, value }] : [];
  }
  if (verb === 'remove') throw scimError('noTarget', 'A removal requires a path');
  const named = objectOf(value);
  if (!named) throw scimError('invalidValue', 'An operation without a path requires an object');
  return Object.entries(named).flatMap(([name, inner]) =>
    namedChanges({ verb, name, value: inner }, patched, work),
  );
}

/** Some clients send the object as a text with JSON. */
function objectOf(value: unknown): Json | undefined {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function namedChanges(
  { verb, name, value }: { verb: Verb; name: string; value: unknown },
  patched: Patched,
  work: Work,
): Change[] {
  work.spend(1);
  if (name.toLowerCase() === patched.urn.toLowerCase()) return changesIn({ op: verb, value }, patched, work);
  // Names of other schemas end with a version, which is not the name of an attribute.
  const path = /^[\w$.-]+$|\[/.test(name) || name.toLowerCase().startsWith(`${patched.urn.toLowerCase()}:`);
  const parsed = path ? parsePath(name, work) : undefined;
  return parsed && isKnown(parsed, patched) ? [{ verb, path: parsed, value }] : [];
}

function verbOf(op: string): Verb {
  const verb = op.toLowerCase();
  if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
    throw scimError('invalidSyntax', 'An operation must be add, replace or remove');
  return verb;
}

const isOwn = ({ schema }: PatchPath, { urn }: Patched): boolean =>
  schema === undefined || schema.toLowerCase() === urn.toLowerCase();

const isKnown = (path: PatchPath, patched: Patched): boolean =>
  isOwn(path, patched) && findFacts(patched.facts, path.name) !== undefined;

/** Applies changes to a resource in its canonical form, and returns the new one. @throws AppError `invalid_request` */
export async function applyChanges(
  resource: Json,
  changes: readonly Change[],
  { facts }: Patched,
  work: Work,
): Promise<Json> {
  let present = resource;
  for (const change of changes) {
    present = applied(present, change, facts, work);
    await work.pause();
  }
  return present;
}

/** Units of one value that is compared with others, by its text. */
const unitsOfValue = 5;

/** The steps of a change: it handles each present and each given value, and asks each condition of its path about it. */
function unitsOf({ path, value }: Change, present: unknown): number {
  const values = asArray(present).length + asArray(value).length + 1;
  return values * (path.values ? 3 * conditionsIn(path.values) : unitsOfValue);
}

function applied(resource: Json, change: Change, facts: readonly AttributeFacts[], work: Work): Json {
  const { verb, path, value } = change;
  const fact = findFacts(facts, path.name);
  if (!fact) return resource;
  const present = resource[fact.name];
  work.spend(unitsOf(change, present));
  const next = path.values
    ? withValues(asArray(present), verb, path, value, fact, path.values)
    : withAttribute(present, verb, path, value, fact);
  if (fact.multiValued) assertFew(asArray(next), fact);
  const { [fact.name]: _, ...others } = resource;
  return next === undefined ? others : { ...others, [fact.name]: next };
}

const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function withAttribute(
  present: unknown,
  verb: Verb,
  path: PatchPath,
  value: unknown,
  fact: AttributeFacts,
): unknown {
  if (path.sub !== undefined) return withMember(present, verb, path.sub, value, fact);
  if (verb === 'remove') return undefined;
  const given = canonicalValue(value, fact);
  if (fact.multiValued) return verb === 'add' ? joined(asArray(present), asArray(given)) : given;
  // Members that a complex value does not name stay as they are.
  return isObject(given) && isObject(present) ? { ...present, ...given } : given;
}

/** The values without duplicates. A new primary value replaces the former one (RFC 7643, 2.4). */
function joined(present: readonly unknown[], added: readonly unknown[]): unknown[] | undefined {
  const known = new Set(present.map(canonicalJson));
  const news = added.filter((value) => !known.has(canonicalJson(value)));
  const former = news.some(isPrimary) ? present.map(withoutPrimary) : present;
  const all = [...former, ...news];
  return all.length === 0 ? undefined : all;
}

const isPrimary = (value: unknown): boolean => isObject(value) && value.primary === true;
const withoutPrimary = (value: unknown): unknown =>
  isPrimary(value) ? { ...Object(value), primary: false } : value;

/** A member of a complex attribute; of a multi-valued one, the member of each value. */
function withMember(
  present: unknown,
  verb: Verb,
  sub: string,
  value: unknown,
  fact: AttributeFacts,
): unknown {
  const member = findFacts(fact.subAttributes ?? [], sub);
  if (!member) return present;
  const given = verb === 'remove' ? undefined : canonicalValue(value, member);
  const change = (own: unknown): Json | undefined => {
    const { [member.name]: _, ...others } = isObject(own) ? own : {};
    const next = given === undefined ? others : { ...others, [member.name]: given };
    return Object.keys(next).length === 0 ? undefined : next;
  };
  if (!fact.multiValued) return change(present);
  const values = asArray(present).length === 0 && given !== undefined ? [{}] : asArray(present);
  return nonEmpty(values.map(change).filter((one) => one !== undefined));
}

const nonEmpty = (values: unknown[]): unknown[] | undefined => (values.length === 0 ? undefined : values);

function withValues(
  present: unknown[],
  verb: Verb,
  { sub, ...path }: PatchPath,
  value: unknown,
  fact: AttributeFacts,
  filter: Filter,
): unknown[] | undefined {
  const members = fact.subAttributes ?? [];
  const isMeant = (one: unknown) => meets(one, filter, members);
  if (verb === 'remove' && sub === undefined) return nonEmpty(present.filter((one) => !isMeant(one)));
  const meant = present.some(isMeant) || verb === 'remove' ? present : [...present, described(filter, fact)];
  return nonEmpty(
    meant.flatMap((one) => {
      if (!isMeant(one)) return [one];
      const next = changedValue(one, verb, { ...path, ...(sub !== undefined && { sub }) }, value, fact);
      return next === undefined ? [] : [next];
    }),
  );
}

function changedValue(
  one: unknown,
  verb: Verb,
  { sub }: PatchPath,
  value: unknown,
  fact: AttributeFacts,
): unknown {
  const inner = { ...fact, multiValued: false };
  if (sub !== undefined) return withMember(one, verb, sub, value, inner);
  return withAttribute(one, verb, { name: fact.name }, value, inner);
}

/**
 * The value that the equalities of a filter describe. Entra ID replaces `emails[type eq "work"].value` of users who have no
 * such address, and expects a new one.
 * @throws AppError `invalid_request` with the keyword `noTarget` for any other filter
 */
function described(filter: Filter, fact: AttributeFacts): Json {
  const parts = filter.kind === 'and' ? filter.parts : [filter];
  const members = parts.map((part) => {
    const member =
      part.kind === 'compare' &&
      part.operator === 'eq' &&
      findFacts(fact.subAttributes ?? [], part.path.name);
    if (!member) throw scimError('noTarget', 'No value of the attribute matches the path');
    return [member.name, canonicalValue(part.value, member)] as const;
  });
  return Object.fromEntries(members);
}
