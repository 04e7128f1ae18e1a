import { z } from 'zod';
import { listShowing, rangedMembers } from '../../../db/repositories/records/list-columns.ts';
import type { Selection } from '../../../db/repositories/records/records.ts';
import type { BaseDeps } from '../../context/context.ts';
import { type ResourceType, resources } from '../../resources.ts';
import { Id } from '../../shapes/fields.ts';
import type { ListQuery } from '../../shapes/list.ts';
import { boundedBy, numberRanges, timeRanges } from '../../shapes/ranges.ts';
import { answerList } from '../declare/list.ts';
import { endpointIn, type Operation } from '../declare/operation.ts';
import type { Conditions } from '../serve/conditions.ts';
import {
  type CrudShapes,
  type Declared,
  declarationsOf,
  type Target,
  type Verb,
} from './crud-declarations.ts';
import { type KindDeclaration, type RecordKind, recordKind, writableOf } from './kind.ts';
import { applyPatch, patchBody, writeBody } from './shapes.ts';
import {
  answerRecord,
  changeRecord,
  createRecord,
  findRecord,
  removeRecord,
  removeRecords,
} from './writes.ts';

export type CrudDeclaration<S extends Selection, W extends z.ZodObject> = KindDeclaration<S, W> & {
  verbs: readonly Verb[];
  /** The name of the identifier in the path. */
  idParam?: 'id' | 'uuid';
  /** The name of the owner's identifier in the path, for a nested collection. */
  parentParam?: 'auth_uuid';
  filters?: Record<string, z.ZodType>;
  sorts: readonly string[];
  /** Default: the first of `sorts`. */
  defaultSort?: string;
  bulkDestroyMethod?: 'POST' | 'PATCH';
  sited?: true;
};

type Params = Record<string, string>;

export type Crud<S extends Selection, W extends z.ZodObject> = {
  operations: Operation<BaseDeps>[];
  kind: RecordKind<S>;
  /** The filters of the list: those of the declaration, and ranges of times and numbers. */
  filters: Record<string, z.ZodType>;
  /** The declarations for handwritten verbs. */
  declared: Declared<W>;
  target(input: { params: Params; conditions: Conditions }): Target;
  /** The id of the owner, for a nested collection. */
  parentOf(params: Params): string;
};

const endpoint = endpointIn<BaseDeps>();

/**
 * Creates the verbs of a record from its declaration. A verb with logic of its own is not listed in `verbs`; it is a
 * separate endpoint with its declaration from `declared`.
 */
export function crud<S extends Selection, W extends z.ZodObject>(
  declaration: CrudDeclaration<S, W>,
): Crud<S, W> {
  const kind = recordKind(declaration);
  const { idParam = 'id', parentParam, bulkDestroyMethod = 'POST' } = declaration;
  const filters = filtersOf(declaration, kind);
  const shapes = shapesOf(declaration, kind, idParam);
  const declared = declarationsOf({
    ...declaration,
    shapes,
    idParam,
    parentParam,
    filters,
    bulkDestroyMethod,
  });
  const parentOf = (params: Params): string => (parentParam && params[parentParam]) ?? '';
  const target: Crud<S, W>['target'] = ({ params, conditions }) => ({
    id: params[idParam] ?? '',
    parent: parentParam && parentOf(params),
    conditions,
  });
  const parts = { kind, filters, declared, target, parentOf };
  const build = plainVerbs(parts, declaration.write);
  return { ...parts, operations: declaration.verbs.map((verb) => build[verb]()) };
}

/** Adds ranges of the times and numbers that the view shows, unless the declaration has a parameter for their bounds. */
function filtersOf<S extends Selection, W extends z.ZodObject>(
  { filters = {} }: Pick<CrudDeclaration<S, W>, 'filters'>,
  { records, view }: RecordKind<S>,
): Record<string, z.ZodType> {
  const declared = new Set(Object.values(filters).map(boundedBy));
  const isOffered = (member: string) => view.columns.values.includes(member) && !declared.has(member);
  const { times, numbers } = rangedMembers(records.spec);
  return {
    ...filters,
    ...numberRanges(...numbers.filter(isOffered)),
    ...timeRanges(...times.filter(isOffered)),
  };
}

function shapesOf<W extends z.ZodObject>(
  { write, parentParam }: { write: W; parentParam?: string },
  { type, readOnly, immutable }: Pick<RecordKind<Selection>, 'type' | 'readOnly' | 'immutable'>,
  idParam: string,
): CrudShapes<W> {
  const domain = Id.describe('Identifier of the authentication domain.');
  const parents = z.object(parentParam ? { [parentParam]: domain } : {});
  return {
    body: writeBody(write, readOnly),
    patch: patchBody(write, readOnly, immutable),
    params: parents.extend({ [idParam]: Id.describe(`Identifier of ${theOne(type)}.`) }),
    parents,
  };
}

/** The name of the type with the definite article: `the site`. */
const theOne = (type: ResourceType): string => resources[type].one.replace(/^an? /, 'the ');

type Body = Record<string, unknown>;

/** The handlers of verbs without logic of their own. */
function plainVerbs<S extends Selection, W extends z.ZodObject>(
  { kind, declared, target, parentOf }: Omit<Crud<S, W>, 'operations' | 'filters'>,
  write: W,
): Record<Verb, () => Operation<BaseDeps>> {
  const owner = kind.records.spec.parent?.column.name;
  const listed = listShowing(kind.records, kind.view.columns);
  const parentIn = (params: Params) => (owner === undefined ? {} : { parent: parentOf(params) });
  return {
    list: () =>
      endpoint(declared.list, (ctx, { query, params }) =>
        answerList(ctx, listed, query as ListQuery, kind.view, parentIn(params).parent),
      ),
    get: () =>
      endpoint(declared.get, async (ctx, input) => {
        const { id, parent } = target(input);
        return answerRecord(kind, await findRecord(ctx, kind, id, parent));
      }),
    create: () =>
      endpoint(declared.create, (ctx, { body, params }) => {
        const columns = owner === undefined ? {} : { [owner]: parentOf(params) };
        return createRecord(ctx, kind, body as Body, { ...parentIn(params), columns });
      }),
    replace: () =>
      endpoint(declared.replace, (ctx, input) =>
        changeRecord(ctx, kind, target(input), () => ({ body: input.body as Body })),
      ),
    update: () =>
      endpoint(declared.update, (ctx, input) =>
        changeRecord(ctx, kind, target(input), (row) => ({
          body: applyPatch(write, writableOf(kind, row), input.body),
        })),
      ),
    delete: () => endpoint(declared.delete, (ctx, input) => removeRecord(ctx, kind, target(input))),
    bulkDestroy: () =>
      endpoint(declared.bulkDestroy, (ctx, { body, params }) =>
        removeRecords(ctx, kind, body, parentIn(params)),
      ),
  };
}
