import type { Work } from '../../kernel/concurrency/work.ts';
import { isObject } from '../../kernel/json/json.ts';
import { message } from '../../messages/message.ts';
import type { Json } from './canonical.ts';
import { scimError } from './errors.ts';

/** The attributes of a response (RFC 7644, 3.9): those that are listed, or all except those that are excluded. */
export type Projection = { attributes?: readonly string[]; excluded?: readonly string[] };

/** Members of every response. */
const always = ['id', 'schemas'];
const mostNames = 100;

/**
 * @param attributes names as texts with commas between them, or as an array
 * @throws AppError `invalid_request` with the keyword `invalidValue` if both are given
 */
export function projectionOf(attributes: Names, excluded: Names): Projection {
  const [only, except] = [namesIn(attributes), namesIn(excluded)];
  if (only && except)
    throw scimError('invalidValue', 'The parameters attributes and excludedAttributes exclude each other');
  return { ...(only && { attributes: only }), ...(except && { excluded: except }) };
}

type Names = string | readonly string[] | null | undefined;

function namesIn(given: Names): string[] | undefined {
  const names = (typeof given === 'string' ? given.split(',') : (given ?? []))
    .map(nameOf)
    .filter((name) => name !== '');
  if (names.length > mostNames)
    throw scimError('invalidValue', message('At most {limit} attributes can be named', { limit: mostNames }));
  return names.length === 0 ? undefined : names;
}

/** The name in lower case, without the name of a schema. */
const nameOf = (text: string): string => {
  const name = text.trim().toLowerCase();
  return name.slice(name.lastIndexOf(':') + 1);
};

/** True if the response contains the attribute, or a member of it. */
export function includes({ attributes, excluded }: Projection, name: string): boolean {
  const own = name.toLowerCase();
  if (attributes) return attributes.some((other) => other === own || other.startsWith(`${own}.`));
  return !excluded?.includes(own);
}

/** The resource with the attributes of the response. */
export async function projected(resource: Json, projection: Projection, work: Work): Promise<Json> {
  const shown = Object.entries(resource).filter(
    ([name]) => always.includes(name) || includes(projection, name),
  );
  const whole: Json = {};
  for (const [name, value] of shown)
    whole[name] = isPartial(projection, name) ? await withMembers(name, value, projection, work) : value;
  return whole;
}

/** True if the projection names members of the attribute, and not the attribute. */
function isPartial({ attributes, excluded }: Projection, name: string): boolean {
  const own = name.toLowerCase();
  const isMember = (other: string) => other.startsWith(`${own}.`);
  return attributes
    ? !attributes.includes(own) && attributes.some(isMember)
    : excluded?.some(isMember) === true;
}

/** Units of one value of an attribute. */
const unitsOfValue = 0.5;

async function withMembers(
  name: string,
  value: unknown,
  projection: Projection,
  work: Work,
): Promise<unknown> {
  if (!Array.isArray(value)) return withMembersOf(name, value, projection);
  const shown: unknown[] = [];
  await work.each(value, (one) => shown.push(withMembersOf(name, one, projection)), unitsOfValue);
  return shown;
}

function withMembersOf(name: string, value: unknown, projection: Projection): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([sub]) => includesMember(projection, name, sub)));
}

function includesMember({ attributes, excluded }: Projection, name: string, sub: string): boolean {
  const member = `${name}.${sub}`.toLowerCase();
  return attributes ? attributes.includes(member) : !excluded?.includes(member);
}
