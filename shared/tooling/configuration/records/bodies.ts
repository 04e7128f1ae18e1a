import type { z } from 'zod';
import { findDomainType } from '../../../identity/domains/registry.ts';
import { flagOf, secretNames } from '../../../identity/domains/settings.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { withMember } from '../file/paths.ts';
import type { Kind } from '../kinds.ts';

type Body = Record<string, unknown>;

/** A validated entry, or the errors of its members. */
export type ValidationResult = { body: Body } | { error: z.ZodError };

/** Validates an entry with ids instead of names, and adds defaults. */
export function checkBody(kind: Kind, entry: Body): ValidationResult {
  const type = kind.section === 'authenticators' ? findDomainType(entry.type) : undefined;
  const shape = type ? kind.shape.extend({ params: type.settings.shape.prefault({}) }) : kind.shape;
  const { data, error } = shape.strict().safeParse(entry, { reportInput: true });
  if (error) return { error };
  const body = data as Body;
  // The display name of a rule defaults to its name.
  return {
    body: kind.section === 'rules' ? { ...body, display_name: body.display_name ?? body.name } : body,
  };
}

/** Converts a record of the API to an entry, with ids instead of names. */
export function bodyOf(
  kind: Kind,
  view: Body,
  parent: string | undefined,
  pictures: ReadonlyMap<string, string>,
): Body {
  const own: Body = { ...view, ...(parent !== undefined && { authenticator_id: parent }) };
  if (typeof own.image_id === 'string') own.image_id = pictures.get(own.image_id) ?? null;
  for (const name of secretNames)
    if (isObject(own.params)) own.params = withMember(own.params, [flagOf(name)], undefined);
  const members = Object.keys(kind.shape.shape).map((name) => [name, own[name]]);
  const body: Body = Object.fromEntries(members);
  const checked = checkBody(kind, body);
  // A record of an earlier version may have values that are no longer valid.
  return 'body' in checked ? checked.body : body;
}
