import type { z } from 'zod';
import type { Permission } from '../../context/permissions.ts';
import { type ResourceType, resources } from '../../resources.ts';
import { IdsFilter } from '../../shapes/fields.ts';
import { listOf, listQuery } from '../../shapes/list.ts';
import type { Method } from '../declare/operation.ts';
import type { Conditions } from '../serve/conditions.ts';
import { BulkDestroyBody, BulkDestroyResult } from './shapes.ts';

export type CrudShapes<W extends z.ZodObject> = {
  body: z.ZodType<z.output<W>>;
  patch: z.ZodType<Record<string, unknown>>;
  params: PathShape;
  parents: PathShape;
};
type PathShape = z.ZodType<Record<string, string>>;

/** A CRUD declaration with all defaults applied. */
export type Plan<W extends z.ZodObject> = {
  type: ResourceType;
  path: string;
  view: z.ZodObject;
  shapes: CrudShapes<W>;
  idParam: 'id' | 'uuid';
  parentParam: 'auth_uuid' | undefined;
  filters: Record<string, z.ZodType>;
  sorts: readonly string[];
  defaultSort?: string;
  bulkDestroyMethod: 'POST' | 'PATCH';
  sited?: true;
};

/** The object of a request, in the form that record writes use. */
export type Target = { id: string; parent: string | undefined; conditions: Conditions };

/**
 * The declarations of the seven verbs of a record. A verb with logic of its own is a separate endpoint with the
 * declaration from here, possibly with further errors.
 */
export const declarationsOf = <W extends z.ZodObject>(plan: Plan<W>) => ({
  ...collectionVerbs(plan),
  ...objectVerbs(plan),
});

export type Declared<W extends z.ZodObject> = ReturnType<typeof declarationsOf<W>>;
export type Verb = keyof Declared<z.ZodObject>;

const collectionVerbs = <W extends z.ZodObject>(plan: Plan<W>) => ({
  list: {
    ...named(plan, 'list', 'read'),
    route: route('GET', plan.path),
    summary: `List ${resources[plan.type].many}`,
    params: plan.shapes.parents,
    query: listQuery(plan.sorts, { ids: IdsFilter, ...plan.filters }, plan.defaultSort),
    returns: [200, listOf(plan.view)] as const,
    mayLag: true as const,
  },
  create: {
    ...named(plan, 'create', 'create'),
    route: route('POST', plan.path),
    summary: `Create ${resources[plan.type].one}`,
    params: plan.shapes.parents,
    body: { required: plan.shapes.body },
    returns: [201, plan.view] as const,
    errors: ['already_exists'] as const,
  },
  bulkDestroy: {
    ...named(plan, 'bulkDestroy', 'delete'),
    route: route(plan.bulkDestroyMethod, `${plan.path}/bulk_destroy`),
    summary: `Delete several or all ${resources[plan.type].many}`,
    params: plan.shapes.parents,
    body: { required: BulkDestroyBody },
    returns: [200, BulkDestroyResult] as const,
  },
});

const objectVerbs = <W extends z.ZodObject>(plan: Plan<W>) => ({
  get: {
    ...named(plan, 'get', 'read'),
    ...item(plan, 'GET'),
    summary: `Read ${resources[plan.type].one}`,
    returns: [200, plan.view] as const,
  },
  replace: {
    ...named(plan, 'replace', 'update'),
    ...item(plan, 'PUT'),
    summary: `Replace ${resources[plan.type].one}`,
    body: { required: plan.shapes.body },
    returns: [200, plan.view] as const,
    errors: ['already_exists'] as const,
  },
  update: {
    ...named(plan, 'update', 'update'),
    ...item(plan, 'PATCH'),
    summary: `Update ${resources[plan.type].one} (JSON Merge Patch)`,
    description: '`null` resets a field to its default or removes an optional value.',
    body: { required: plan.shapes.patch },
    returns: [200, plan.view] as const,
    errors: ['already_exists'] as const,
  },
  delete: {
    ...named(plan, 'delete', 'delete'),
    ...item(plan, 'DELETE'),
    summary: `Delete ${resources[plan.type].one}`,
    returns: [204, null] as const,
    errors: ['in_use'] as const,
  },
});

/** Declarations that all verbs of a record share. */
const named = <W extends z.ZodObject>({ type, sited }: Plan<W>, verb: string, action: string) => ({
  id: `${type}.${verb}`,
  access: `${resources[type].permissions}.${action}` as Permission,
  ...(sited && { sited }),
});

/** Declarations that all verbs of one object share. */
const item = <W extends z.ZodObject>({ path, idParam, shapes }: Plan<W>, method: Method) =>
  ({ route: route(method, `${path}/{${idParam}}`), params: shapes.params, conditional: true }) as const;

const route = (method: Method, path: string): `${Method} /${string}` => `${method} ${path as `/${string}`}`;
