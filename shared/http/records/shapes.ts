import { z } from 'zod';
import { invalid } from '../../kernel/errors.ts';
import { mergePatch } from '../../kernel/json/json.ts';
import { fieldErrors } from '../../shapes/field-errors.ts';
import { Ids } from '../../shapes/fields.ts';

/** A body without its read-only members, so that a client can send back the response of `GET`. */
export const writeBody = <W extends z.ZodObject>(write: W, readOnly: readonly string[]) =>
  z.preprocess((body) => without(body, readOnly), z.strictObject(write.shape)) as unknown as z.ZodType<
    z.output<W>
  >;

/**
 * The body of a JSON Merge Patch (RFC 7396) for these members. All members are optional. `null` sets a member to its
 * default or removes an optional value; it is rejected for a member that a new object requires. Members of nested
 * objects are checked after merging.
 * @param immutable members that can be sent unchanged, so the example does not contain them
 */
export function patchBody(
  write: z.ZodObject,
  readOnly: readonly string[],
  immutable: readonly string[] = [],
) {
  const members = Object.fromEntries(
    Object.entries(write.shape).map(([name, member]) => [
      name,
      patchMember(member as z.ZodType, immutable.includes(name)),
    ]),
  );
  return z.preprocess((body) => without(body, readOnly), z.strictObject(members));
}

/**
 * Applies a patch and validates the result like a replacement.
 * @throws AppError `invalid_request`
 */
export function applyPatch<W extends z.ZodObject>(
  write: W,
  current: Record<string, unknown>,
  patch: Record<string, unknown>,
): z.output<W> {
  const merged = strictly(write).safeParse(mergePatch(current, patch), { reportInput: true });
  if (merged.error) throw invalid(...fieldErrors(merged.error, '/'));
  return merged.data as z.output<W>;
}

const strictShapes = new WeakMap<z.ZodObject, z.ZodObject>();

/** The shape without unknown members. It is created once, because zod compiles each shape at its first use. */
function strictly<W extends z.ZodObject>(write: W): z.ZodObject {
  const known = strictShapes.get(write);
  if (known) return known;
  const strict = z.strictObject(write.shape);
  strictShapes.set(write, strict);
  return strict;
}

/** The body of `bulk_destroy`. An empty body is rejected. */
export const BulkDestroyBody = z.union([
  z.strictObject({
    ids: Ids.refine((ids) => ids.length >= 1 && ids.length <= 500, 'Must contain 1 to 500 identifiers')
      .meta({
        minItems: 1,
        maxItems: 500,
      })
      .describe('Identifiers of the objects to delete.'),
  }),
  z.strictObject({
    all: z.literal(true).describe('Deletes all objects of the collection within the scope of the caller.'),
  }),
]);

export const BulkDestroyResult = z.strictObject({
  deleted_count: z.int().describe('Number of objects that were deleted.'),
  deleted: z.array(z.string()).describe('Identifiers of the deleted objects, at most 500.'),
  failed_count: z.int().describe('Number of objects that could not be deleted.'),
  failed: z
    .array(
      z.strictObject({
        id: z.string().describe('Identifier of the object.'),
        code: z.string().describe('Problem code, such as `in_use`.'),
        detail: z.string().describe('Reason why the object was not deleted.'),
      }),
    )
    .describe('Objects that could not be deleted, at most 100.'),
});

function without(body: unknown, names: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

function patchMember(member: z.ZodType, isImmutable: boolean): z.ZodType {
  let inner: unknown = member;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodNullable)
    inner = inner.unwrap();
  const shape = inner instanceof z.ZodObject ? z.record(z.string(), z.unknown()) : (inner as z.ZodType);
  const example = isImmutable ? shape.meta({ example: undefined, 'x-immutable': true }) : shape;
  const isRequired = !member.safeParse(undefined).success;
  const patched = isRequired ? z.preprocess(nullAsAbsent, example).optional() : example.nullable().optional();
  return member.description ? patched.describe(member.description) : patched;
}

/** `null` for a required member gives the error `required`, as in a new object. */
const nullAsAbsent = (value: unknown): unknown => value ?? undefined;
