import type { Operation, Shape } from '../declare/operation.ts';
import { takesDryRun, takesKey } from '../writes/modes.ts';
import type { Schema, Schemas } from './schemas.ts';

type Described = Omit<Operation<never>, 'run'>;

/** The parameters of the path and the query, and the headers that an operation understands. */
export function parametersOf(operation: Described, schemas: Schemas) {
  const { path, params, query, method, conditional } = operation;
  const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const inPath = membersOf(params, schemas);
  const common = [
    'X-Request-Id',
    ...(conditional ? [method === 'GET' ? 'If-None-Match' : 'If-Match'] : []),
    ...(takesKey(operation) ? ['Idempotency-Key'] : []),
    ...(takesDryRun(operation) ? ['X-Dry-Run'] : []),
    ...(operation.mayLag ? ['X-Consistency-Token'] : []),
    ...(operation.access === 'public' ? [] : ['X-Background']),
  ];
  return [
    ...placeholders.map((name) =>
      parameter('path', name, inPath.get(name)?.schema ?? { type: 'string' }, true),
    ),
    ...[...membersOf(query, schemas)].map(([name, { schema, isRequired }]) =>
      parameter('query', name, schema, isRequired),
    ),
    ...common.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function parameter(
  place: 'path' | 'query',
  name: string,
  { description, ...schema }: Schema,
  required: boolean,
) {
  return {
    name,
    in: place,
    required,
    ...(typeof description === 'string' && { description }),
    schema,
  };
}

function membersOf(
  shape: Shape | undefined,
  schemas: Schemas,
): Map<string, { schema: Schema; isRequired: boolean }> {
  const { properties = {}, required = [] } = shape ? schemas.input(shape) : {};
  return new Map(
    Object.entries(properties as Record<string, Schema>).map(([name, schema]) => [
      name,
      { schema, isRequired: (required as string[]).includes(name) },
    ]),
  );
}
