import type { z } from 'zod';
import { paramShapes } from '../../../identity/domains/registry.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { withMember } from '../file/paths.ts';
import type { Kind } from '../kinds.ts';

type Body = Record<string, unknown>;

/** A checked entry, or the faults of its members. */
export type Checked = { body: Body } | { error: z.ZodError };

const isDirectoryType = (type: unknown): type is keyof typeof paramShapes =>
  typeof type === 'string' && Object.hasOwn(paramShapes, type);

/** Checks an entry that has ids in the place of names, and fills in defaults. */
export function checkBody(kind: Kind, entry: Body): Checked {
  const shape =
    kind.section === 'authenticators' && isDirectoryType(entry.type)
      ? kind.shape.extend({ params: (paramShapes[entry.type] as z.ZodType).prefault({}) })
      : kind.shape;
  const { data, error } = shape.strict().safeParse(entry, { reportInput: true });
  if (error) return { error };
  const body = data as Body;
  // A rule without a name for users shows its own.
  return {
    body: kind.section === 'rules' ? { ...body, display_name: body.display_name ?? body.name } : body,
  };
}

/** What the API shows of a record as an entry, with ids in the place of names. */
export function bodyOf(
  kind: Kind,
  view: Body,
  parent: string | undefined,
  pictures: ReadonlyMap<string, string>,
): Body {
  const own: Body = { ...view, ...(parent !== undefined && { authenticator_id: parent }) };
  if (typeof own.image_id === 'string') own.image_id = pictures.get(own.image_id) ?? null;
  if (isObject(own.params)) own.params = withMember(own.params, ['bind_password_set'], undefined);
  const members = Object.keys(kind.shape.shape).map((name) => [name, own[name]]);
  const body: Body = Object.fromEntries(members);
  const checked = checkBody(kind, body);
  // A record of an earlier version may have what is no longer accepted.
  return 'body' in checked ? checked.body : body;
}
