import type { z } from 'zod';
import type { Selection } from '../../db/repositories/records.ts';
import type { Permission } from '../access/permissions.ts';
import type { Conditions } from './conditions.ts';
import type { BaseDeps } from './context.ts';
import { answerList, type ListQuery, listOf, listQuery } from './list.ts';
import { endpointIn, type Method, type Operation } from './operation.ts';
import { type RecordKind, writableOf } from './record-kind.ts';
import {
  answerRecord,
  changeRecord,
  createRecord,
  findRecord,
  removeRecord,
  removeRecords,
} from './record-writes.ts';
import { applyPatch, BulkDestroyBody, BulkDestroyResult } from './write-shapes.ts';

export type Verb = 'list' | 'create' | 'get' | 'replace' | 'update' | 'delete' | 'bulkDestroy';

export type CrudShapes<W extends z.ZodObject = z.ZodObject> = {
  body: z.ZodType<z.output<W>>;
  patch: z.ZodType<Record<string, unknown>>;
  params: z.ZodType;
  parents: z.ZodType;
};

/** A crud declaration with everything filled in. */
export type Plan<S extends Selection> = {
  type: string;
  resource: string;
  one: string;
  many: string;
  path: string;
  view: z.ZodObject;
  write: z.ZodObject;
  kind: RecordKind<S>;
  shapes: Omit<CrudShapes, 'body'> & { body: z.ZodType };
  idParam: 'id' | 'uuid';
  parentParam: 'auth_uuid' | undefined;
  filters: Record<string, z.ZodType>;
  sorts: readonly string[];
  bulkDestroyMethod: 'POST' | 'PATCH';
  sited?: true;
};

type Build = <S extends Selection>(plan: Plan<S>) => Operation<BaseDeps>;
type Body = Record<string, unknown>;

const endpoint = endpointIn<BaseDeps>();

export const verbs: Record<Verb, Build> = {
  list: (plan) =>
    endpoint(
      {
        ...named(plan, 'list', 'read'),
        route: route('GET', plan.path),
        summary: `List ${plan.many}`,
        params: plan.shapes.parents,
        query: listQuery(plan.sorts, plan.filters),
        returns: [200, listOf(plan.view)],
      },
      (ctx, { query, params }) =>
        answerList(ctx, plan.kind.records, query as ListQuery, plan.kind.view, parentOf(plan, params)),
    ),
  get: (plan) =>
    endpoint(
      {
        ...named(plan, 'get', 'read'),
        ...item(plan),
        route: route('GET', itemPath(plan)),
        summary: `Read ${plan.one}`,
        returns: [200, plan.view],
      },
      async (ctx, { params }) =>
        answerRecord(plan.kind, await findRecord(ctx, plan.kind, idOf(plan, params), parentOf(plan, params))),
    ),
  create: (plan) =>
    endpoint(
      {
        ...named(plan, 'create', 'create'),
        route: route('POST', plan.path),
        summary: `Create ${plan.one}`,
        params: plan.shapes.parents,
        body: { required: plan.shapes.body },
        returns: [201, plan.view],
        errors: ['already_exists'],
      },
      (ctx, { body, params }) => createRecord(ctx, plan.kind, body as Body, ownerOf(plan, params)),
    ),
  replace: (plan) =>
    endpoint(
      {
        ...named(plan, 'replace', 'update'),
        ...item(plan),
        route: route('PUT', itemPath(plan)),
        summary: `Replace ${plan.one}`,
        body: { required: plan.shapes.body },
        returns: [200, plan.view],
        errors: ['already_exists'],
      },
      (ctx, { body, params, conditions }) =>
        changeRecord(ctx, plan.kind, target(plan, params, conditions), () => ({ body: body as Body })),
    ),
  update: (plan) =>
    endpoint(
      {
        ...named(plan, 'update', 'update'),
        ...item(plan),
        route: route('PATCH', itemPath(plan)),
        summary: `Change members of ${plan.one} (JSON Merge Patch)`,
        body: { required: plan.shapes.patch },
        returns: [200, plan.view],
        errors: ['already_exists'],
      },
      (ctx, { body, params, conditions }) =>
        changeRecord(ctx, plan.kind, target(plan, params, conditions), (row) => ({
          body: applyPatch(plan.write, writableOf(plan.kind, row), body),
        })),
    ),
  delete: (plan) =>
    endpoint(
      {
        ...named(plan, 'delete', 'delete'),
        ...item(plan),
        route: route('DELETE', itemPath(plan)),
        summary: `Delete ${plan.one}`,
        returns: [204, null],
        errors: ['in_use'],
      },
      (ctx, { params, conditions }) => removeRecord(ctx, plan.kind, target(plan, params, conditions)),
    ),
  bulkDestroy: (plan) =>
    endpoint(
      {
        ...named(plan, 'bulkDestroy', 'delete'),
        route: route(plan.bulkDestroyMethod, `${plan.path}/bulk_destroy`),
        summary: `Delete several or all ${plan.many}`,
        params: plan.shapes.parents,
        body: { required: BulkDestroyBody },
        returns: [200, BulkDestroyResult],
      },
      (ctx, { body, params }) => {
        const parent = parentOf(plan, params);
        return removeRecords(ctx, plan.kind, body, parent === undefined ? {} : { parent });
      },
    ),
};

/** What all verbs of a record declare alike. */
const named = <S extends Selection>({ type, resource, sited }: Plan<S>, verb: Verb, action: string) => ({
  id: `${type}.${verb}`,
  access: `${resource}.${action}` as Permission,
  ...(sited && { sited }),
});

/** What all verbs of one object declare alike. */
const item = <S extends Selection>({ shapes }: Plan<S>) =>
  ({ params: shapes.params, conditional: true }) as const;

const route = (method: Method, path: string): `${Method} /${string}` => `${method} ${path as `/${string}`}`;
const itemPath = <S extends Selection>({ path, idParam }: Plan<S>): string => `${path}/{${idParam}}`;

const idOf = <S extends Selection>({ idParam }: Plan<S>, params: unknown): string =>
  (params as Record<string, string>)[idParam] ?? '';

const parentOf = <S extends Selection>({ parentParam }: Plan<S>, params: unknown): string | undefined =>
  parentParam && (params as Record<string, string>)[parentParam];

const target = <S extends Selection>(plan: Plan<S>, params: unknown, conditions: Conditions) => ({
  id: idOf(plan, params),
  parent: parentOf(plan, params),
  conditions,
});

/** A row of a nested collection names its owner. */
function ownerOf<S extends Selection>(plan: Plan<S>, params: unknown) {
  const parent = parentOf(plan, params);
  const column = plan.kind.records.spec.parent?.column.name;
  return parent && column ? { parent, columns: { [column]: parent } } : {};
}
