import { z } from 'zod';
import type { Operation, Shape } from '../declare/operation.ts';

type Described = Pick<Operation<never>, 'id' | 'returns' | 'body'>;

/** Verbs whose response is the object of the resource. */
const plain = new Set(['get', 'list', 'create', 'replace', 'update']);
const bodies: Record<string, string> = { create: 'Write', replace: 'Write', update: 'Patch' };

/**
 * Derives names for shared shapes from the operation ids: `site.get` returns a `Site`, `site.create` takes a
 * `SiteWrite`. A shape has the same name everywhere; the plain verbs have precedence.
 */
export function nameShapes(operations: readonly Described[]): ReadonlyMap<Shape, string> {
  const names = new Map<Shape, string>();
  const taken = new Set<string>();
  const name = (shape: Shape | undefined, ...candidates: string[]) => {
    if (!shape || names.has(shape) || z.globalRegistry.get(shape)?.id) return;
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (!free) return;
    names.set(shape, free);
    taken.add(free);
  };
  const isPlain = ({ id }: Described) => plain.has(verbOf(id));
  const inTurn = [...operations.filter(isPlain), ...operations.filter((operation) => !isPlain(operation))];
  for (const { id, returns, body } of inTurn) {
    const full = pascal(id);
    const resource = pascal(id.split('.')[0] ?? '');
    const verb = verbOf(id);
    const sent = body && ('required' in body ? body.required : body.optional);
    if (verb === 'bulkDestroy') {
      name(returns[1] ?? undefined, 'BulkDestroyResult');
      name(sent, 'BulkDestroy');
    }
    const answer = objectIn(returns[1]);
    const isOfResource = plain.has(verb) && (verb !== 'list' || answer !== returns[1]);
    name(answer, ...(isOfResource ? [resource] : []), full.replace(/(?:List|Get)(?=[A-Z])/, ''));
    name(sent, ...(bodies[verb] ? [resource + bodies[verb]] : []), `${full}Body`);
  }
  return names;
}

const verbOf = (id: string): string => id.split('.')[1] ?? '';

const pascal = (id: string): string =>
  id
    .split(/[._-]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** The object of a response, or of the items of a list response. */
function objectIn(shape: Shape | null): Shape | undefined {
  if (shape instanceof z.ZodArray) return objectIn(shape.element as Shape);
  if (!(shape instanceof z.ZodObject)) return undefined;
  const { items } = shape.shape;
  return items instanceof z.ZodArray ? objectIn(items) : shape;
}
