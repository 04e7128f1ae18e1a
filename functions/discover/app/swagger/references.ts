/** Part of an OpenAPI document. */
type Part = unknown;

/**
 * Part of a document with what its references (`#/…`) lead to. It replaces the resolver of Swagger UI, which builds a
 * model of the whole document first: seconds for one of this size. A schema that contains itself keeps that reference.
 * `$$ref` is the reference that was replaced; Swagger UI takes the names of schemas from it.
 * @param path of the part, from the root
 * @returns as Swagger UI expects it; `spec` is undefined if the document has no such part
 */
export const resolveSubtree = async (
  document: object,
  path: string[],
): Promise<{ spec: Part; errors: [] }> => ({
  spec: inlined(document, at(document, path), []),
  errors: [],
});

function inlined(document: object, part: Part, within: readonly string[]): Part {
  if (Array.isArray(part)) return part.map((item) => inlined(document, item, within));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref: reference, ...own } = part as Record<string, Part>;
  const isLocal = typeof reference === 'string' && reference.startsWith('#/');
  const entries = Object.entries(isLocal ? own : part);
  const values = Object.fromEntries(entries.map(([key, value]) => [key, inlined(document, value, within)]));
  if (!isLocal) return values;
  if (within.includes(reference)) return part;
  const target = inlined(document, at(document, partsOf(reference)), [...within, reference]);
  return { ...(target as object), ...values, $$ref: reference };
}

/** The parts of a JSON pointer in a fragment, RFC 6901. */
const partsOf = (reference: string): string[] =>
  reference
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));

const at = (document: object, path: readonly string[]): Part =>
  path.reduce<Part>((part, key) => (part as Record<string, Part> | undefined)?.[key], document);
