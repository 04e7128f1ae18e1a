import { isStorable } from '../../../kernel/text.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A condition on a claim: one of the values must be there. */
export type RequiredClaim = { claim: string; values: readonly string[] };

/**
 * The names on the path to a claim. Dots separate them, unless a backslash is before one: `resource_access.my\.client.roles`.
 * An array of JSON is also accepted. The name of a claim may be an address with dots, so a whole name has precedence: see `claimAt`.
 * @returns undefined for a text that is no path
 */
export function pathOf(text: string): string[] | undefined {
  const names = text.startsWith('[') ? namesInJson(text) : text.split(/(?<!\\)\./).map(unescaped);
  const isPath = names?.every((name) => name !== '' && !/\p{Cc}/u.test(name)) && names.length <= 16;
  return isPath ? names : undefined;
}

const unescaped = (name: string): string => name.replaceAll('\\.', '.');

function namesInJson(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a claim, by its whole name or by a path into nested claims. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return (pathOf(path) ?? []).reduce<unknown>((value, name) => memberOf(value, name), claims);
}

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

/** Cognito, Apple and PayPal send booleans as texts. Nothing but `true` and `"true"` is true. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true';

/**
 * The text of a claim with one value: providers also send numbers, and one value as an array. Empty texts count as absent, and so do
 * those that PostgreSQL cannot compare with its rows.
 */
export function textOf(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof one === 'number' && Number.isFinite(one)) return String(one);
  return typeof one === 'string' && one !== '' && isStorable(one) ? one : undefined;
}

/**
 * The texts of a claim with several values, in the forms that providers send: an array or one value of texts and numbers; objects
 * with `id`, or else `value` or `name`; an object whose members are the values (roles of Zitadel). A text is never split: a person
 * who can name a group at the provider could name it `x,administrators`.
 * @returns undefined if a value has no such form
 */
export function textsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (value === '') return [];
  const given = Array.isArray(value) ? value.map(entryOf) : namesIn(value);
  const texts = given.map(plainText);
  return texts.every((text) => text !== undefined) ? [...new Set(texts)] : undefined;
}

const namesIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [value];

/** An identifier has precedence: a person who can name a group at the provider could give it the identifier of another one. */
const entryOf = (value: unknown): unknown =>
  memberOf(value, 'id') ?? memberOf(value, 'value') ?? memberOf(value, 'name') ?? value;

function plainText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? undefined : textOf(value);
}
