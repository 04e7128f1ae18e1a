import { z } from 'zod';
import type { Selection } from '../../db/repositories/records.ts';
import type { Permission } from '../access/permissions.ts';
import type { BaseDeps } from './context.ts';
import { Id } from './fields.ts';
import { answerList, type ListQuery, listOf, listQuery } from './list.ts';
import { endpointIn, type Operation } from './operation.ts';
import { type KindDeclaration, type RecordKind, recordKind, writableOf } from './record-kind.ts';
import {
  answerRecord,
  changeRecord,
  createRecord,
  findRecord,
  removeRecord,
  removeRecords,
} from './record-writes.ts';
import { applyPatch, BulkDestroyBody, BulkDestroyResult, patchBody, writeBody } from './write-shapes.ts';

export type Verb = 'list' | 'create' | 'get' | 'replace' | 'update' | 'delete' | 'bulkDestroy';

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
export type CrudShapes<W extends z.ZodObject> = {
  body: z.ZodType<z.output<W>>;
  patch: z.ZodType<Record<string, unknown>>;
  params: z.ZodType;
  parents: z.ZodType;
};

const endpoint = endpointIn<BaseDeps>();

/**
 * The verbs of a plain record, from data alone. A verb that decides something is left out of `verbs` and written
 * as an endpoint of its own with the same `kind` and `shapes`.
 */
export function crud<S extends Selection, W extends z.ZodObject>(
  declaration: CrudDeclaration<S, W>,
): Crud<S, W> {
  const kind = recordKind(declaration);
  const { idParam = 'id', parentParam, write } = declaration;
  const parents = z.object(parentParam ? { [parentParam]: Id } : {});
  const shapes: CrudShapes<W> = {
    body: writeBody(write, kind.readOnly),
    patch: patchBody(write, kind.readOnly),
    params: parents.extend({ [idParam]: Id }),
    parents,
  };
  const verbs = { ...readVerbs(declaration, kind, shapes), ...writeVerbs(declaration, kind, shapes) };
  return { kind, shapes, operations: declaration.verbs.map((verb) => verbs[verb]()) };
}

type Params = Record<string, string>;
const at = (name: string | undefined, params: unknown): string =>
  name ? ((params as Params)[name] ?? '') : '';

/** What all verbs of a record declare alike. */
const common = <S extends Selection, W extends z.ZodObject>(
  { type, resource, sited }: CrudDeclaration<S, W>,
  verb: string,
  action: string,
) => ({
  id: `${type}.${verb}`,
  access: `${resource}.${action}` as Permission,
  ...(sited && { sited }),
});

function readVerbs<S extends Selection, W extends z.ZodObject>(
  declaration: CrudDeclaration<S, W>,
  kind: RecordKind<S>,
  shapes: CrudShapes<W>,
) {
  const { path, idParam = 'id', parentParam, one, many, view, filters = {}, sorts } = declaration;
  const parentOf = (params: unknown) => (parentParam ? at(parentParam, params) : undefined);
  return {
    list: () =>
      endpoint(
        {
          ...common(declaration, 'list', 'read'),
          route: `GET ${path as '/'}`,
          summary: `List ${many}`,
          params: shapes.parents,
          query: listQuery(sorts, filters),
          returns: [200, listOf(view)],
        },
        (ctx, { query, params }) =>
          answerList(ctx, kind.records, query as ListQuery, kind.view, parentOf(params)),
      ),
    get: () =>
      endpoint(
        {
          ...common(declaration, 'get', 'read'),
          route: `GET ${path as '/'}/{${idParam}}`,
          summary: `Read ${one}`,
          params: shapes.params,
          returns: [200, view],
          conditional: true,
        },
        async (ctx, { params }) =>
          answerRecord(kind, await findRecord(ctx, kind, at(idParam, params), parentOf(params))),
      ),
  };
}

function writeVerbs<S extends Selection, W extends z.ZodObject>(
  declaration: CrudDeclaration<S, W>,
  kind: RecordKind<S>,
  shapes: CrudShapes<W>,
) {
  const {
    path,
    idParam = 'id',
    parentParam,
    one,
    many,
    view,
    write,
    bulkDestroyMethod = 'POST',
  } = declaration;
  const parentOf = (params: unknown) => (parentParam ? at(parentParam, params) : undefined);
  const owner = (params: unknown) => {
    const column = kind.records.spec.parent?.column.name;
    const parent = parentOf(params);
    return column && parent ? { parent, columns: { [column]: parent } } : {};
  };
  const target = (params: unknown, conditions: object) => ({
    id: at(idParam, params),
    parent: parentOf(params),
    conditions,
  });
  const item = { params: shapes.params, conditional: true } as const;
  return {
    create: () =>
      endpoint(
        {
          ...common(declaration, 'create', 'create'),
          route: `POST ${path as '/'}`,
          summary: `Create ${one}`,
          params: shapes.parents,
          body: { required: shapes.body },
          returns: [201, view],
          errors: ['already_exists'],
        },
        (ctx, { body, params }) => createRecord(ctx, kind, body as Params, owner(params)),
      ),
    replace: () =>
      endpoint(
        {
          ...common(declaration, 'replace', 'update'),
          ...item,
          route: `PUT ${path as '/'}/{${idParam}}`,
          summary: `Replace ${one}`,
          body: { required: shapes.body },
          returns: [200, view],
          errors: ['already_exists'],
        },
        (ctx, { body, params, conditions }) =>
          changeRecord(ctx, kind, target(params, conditions), () => ({ body: body as Params })),
      ),
    update: () =>
      endpoint(
        {
          ...common(declaration, 'update', 'update'),
          ...item,
          route: `PATCH ${path as '/'}/{${idParam}}`,
          summary: `Change members of ${one} (JSON Merge Patch)`,
          body: { required: shapes.patch },
          returns: [200, view],
          errors: ['already_exists'],
        },
        (ctx, { body, params, conditions }) =>
          changeRecord(ctx, kind, target(params, conditions), (row) => ({
            body: applyPatch(write, writableOf(kind, row), body as Params),
          })),
      ),
    delete: () =>
      endpoint(
        {
          ...common(declaration, 'delete', 'delete'),
          ...item,
          route: `DELETE ${path as '/'}/{${idParam}}`,
          summary: `Delete ${one}`,
          returns: [204, null],
          errors: ['in_use'],
        },
        (ctx, { params, conditions }) => removeRecord(ctx, kind, target(params, conditions)),
      ),
    bulkDestroy: () =>
      endpoint(
        {
          ...common(declaration, 'bulkDestroy', 'delete'),
          route: `${bulkDestroyMethod} ${path as '/'}/bulk_destroy`,
          summary: `Delete several or all ${many}`,
          params: shapes.parents,
          body: { required: BulkDestroyBody },
          returns: [200, BulkDestroyResult],
        },
        (ctx, { body, params }) =>
          removeRecords(ctx, kind, body, { ...(parentParam && { parent: at(parentParam, params) }) }),
      ),
  };
}
