import { z } from 'zod';
import type { Selection } from '../../db/repositories/records.ts';
import type { BaseDeps } from './context.ts';
import { type CrudShapes, type Plan, type Verb, verbs } from './crud-verbs.ts';
import { Id } from './fields.ts';
import type { Operation } from './operation.ts';
import { type KindDeclaration, type RecordKind, recordKind } from './record-kind.ts';
import { patchBody, writeBody } from './write-shapes.ts';

export type CrudDeclaration<S extends Selection, W extends z.ZodObject> = KindDeclaration<S, W> & {
  /** First half of its permissions. */
  resource: string;
  /** The words of its documents: "a farm of resource providers", "farms of resource providers". */
  one: string;
  many: string;
  verbs: readonly Verb[];
  /** The name of the identifier in the path. */
  idParam?: 'id' | 'uuid';
  /** The name of the owner's identifier in the path, for a nested collection. */
  parentParam?: 'auth_uuid';
  filters?: Record<string, z.ZodType>;
  sorts: readonly string[];
  bulkDestroyMethod?: 'POST' | 'PATCH';
  sited?: true;
};

export type Crud<S extends Selection, W extends z.ZodObject> = {
  operations: Operation<BaseDeps>[];
  kind: RecordKind<S>;
  shapes: CrudShapes<W>;
};

/**
 * The verbs of a plain record, from data alone. A verb that decides something is left out of `verbs` and written
 * as an endpoint of its own with the same `kind` and `shapes`.
 */
export function crud<S extends Selection, W extends z.ZodObject>(
  declaration: CrudDeclaration<S, W>,
): Crud<S, W> {
  const kind = recordKind(declaration);
  const { idParam = 'id', parentParam, write, filters = {}, bulkDestroyMethod = 'POST' } = declaration;
  const parents = z.object(parentParam ? { [parentParam]: Id } : {});
  const shapes: CrudShapes<W> = {
    body: writeBody(write, kind.readOnly),
    patch: patchBody(write, kind.readOnly),
    params: parents.extend({ [idParam]: Id }),
    parents,
  };
  const plan: Plan<S> = { ...declaration, kind, shapes, idParam, parentParam, filters, bulkDestroyMethod };
  return { kind, shapes, operations: declaration.verbs.map((verb) => verbs[verb](plan)) };
}
