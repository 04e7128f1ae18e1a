import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, catalogueOf } from '../../../shared/client/catalogue/catalogue.ts';
import type { Catalogue, Field, RecordKind, Verb } from '../../../shared/client/catalogue/record-kinds.ts';
import { isPermission, permissionsForAllSites } from '../../../shared/context/permissions.ts';
import { resources } from '../../../shared/resources.ts';
import { operations } from '../../contract/generated/described.ts';

const path = new URL('../../../shared/openapi/openapi.json', import.meta.url);
let document: ApiDocument;
let catalogue: Catalogue;
beforeAll(async () => {
  document = JSON.parse(await readFile(path, 'utf8'));
  catalogue = catalogueOf(document, resources, '/api/webui/');
});

const kind = (type: string): RecordKind => {
  const found = catalogue.kinds.find((one) => one.type === type);
  if (!found) throw new Error(`no kind ${type}`);
  return found;
};
const named = (fields: readonly Field[] | undefined, name: string) =>
  fields?.find((field) => field.name === name);
const allFields = (fields: readonly Field[] = []): Field[] =>
  fields.flatMap((field) => [field, ...allFields(field.fields)]);
const fieldsIn = ({ columns, list, create, update, actions }: RecordKind): Field[] =>
  [columns, list.filters, create?.fields, update?.fields, ...actions.map(({ fields }) => fields)].flatMap(
    (fields) => allFields(fields),
  );

describe('the catalogue of the document', () => {
  it('has each kind that has a list, with its words', () => {
    const lists = Object.entries(document.paths).filter(
      ([address, { get }]) =>
        address.startsWith('/api/webui/') &&
        (get as { operationId?: string } | undefined)?.operationId?.endsWith('.list'),
    );
    expect(catalogue.kinds.map(({ path: address }) => address)).toEqual(lists.map(([address]) => address));
    expect(kind('farm')).toMatchObject({ one: 'a farm', many: 'farms', idParam: 'id', parents: [] });
    expect(kind('user')).toMatchObject({ idParam: 'uuid', parents: ['auth_uuid'] });
  });

  it('refers to kinds that exist, and describes each member', () => {
    const types = new Set(catalogue.kinds.map(({ type }) => type));
    const fields = catalogue.kinds.flatMap(fieldsIn);
    const references = fields.flatMap(({ reference }) => (reference ? [reference] : []));
    expect(references.length).toBeGreaterThan(40);
    expect(references.filter((reference) => !types.has(reference))).toEqual([]);
    expect(
      fields.filter(({ description, range }) => description === '' && !range).map(({ name }) => name),
    ).toEqual([]);
  });

  it('knows which operations the portal refuses to an administrator of some sites', () => {
    const verbs = catalogue.kinds.flatMap(
      ({ create, update, delete: deletion, bulkDestroy, history, actions }) =>
        [
          create,
          update,
          deletion,
          bulkDestroy,
          history?.list,
          history?.get,
          history?.restore,
          ...actions,
        ].filter((verb) => verb !== undefined),
    );
    const declared = new Map(operations.map((operation) => [operation.id, operation]));
    const isRefused = ({ id, method }: Verb): boolean => {
      const { access, sited, allSites, readsOnly } = declared.get(id) ?? {};
      const writes = method !== 'GET' && readsOnly !== true;
      return isPermission(String(access)) && (allSites === true || (writes && sited !== true));
    };
    const needing = verbs.filter(({ needsAllSites }) => needsAllSites);
    expect(needing.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['gateway.listVersions', 'dispatcher.restore', 'role.create', 'picture.create']),
    );
    expect(verbs.length - needing.length).toBeGreaterThan(20);
    expect(needing.filter((verb) => !isRefused(verb))).toEqual([]);
    expect(verbs.filter((verb) => isRefused(verb) && verb.needsAllSites !== true)).toEqual([]);
  });

  it('agrees with the permissions that grant nothing for some of the sites', () => {
    const refused = new Map<string, boolean>();
    for (const { access, method, readsOnly, sited, allSites } of operations) {
      const isRefused = allSites === true || (method !== 'GET' && readsOnly !== true && sited !== true);
      if (isPermission(access)) refused.set(access, (refused.get(access) ?? true) && isRefused);
    }
    const expected = [...refused].flatMap(([permission, isRefused]) => (isRefused ? [permission] : []));
    // The operation that reads the tags of a portal also writes them; it then requires another permission. Tokens for provisioning are
    // for all sites.
    const others = ['portals.update', 'scim.provision'];
    expect([...permissionsForAllSites].toSorted()).toEqual([...expected, ...others].toSorted());
  });

  it('knows what a form needs', () => {
    const { create, update, list, columns, delete: deletion } = kind('farm');
    expect(named(create?.fields, 'name')).toMatchObject({ type: 'text', isRequired: true, maxLength: 128 });
    expect(named(create?.fields, 'site_id')).toMatchObject({
      type: 'reference',
      reference: 'site',
      isRequired: true,
    });
    expect(named(create?.fields, 'weight')).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
    });
    expect(named(create?.fields, 'comments')).toMatchObject({ type: 'long_text', default: '' });
    expect(named(create?.fields, 'balancing')?.choices).toEqual(['priority', 'round_robin', 'least_loaded']);
    expect(update).toMatchObject({ method: 'PATCH', canTry: true, isConditional: true });
    expect(deletion).toMatchObject({ method: 'DELETE', permissions: ['farms.delete'] });
    expect(list.sorts).toEqual(['name', 'weight', 'created_at', 'updated_at']);
    expect(list).toMatchObject({ search: 'Part of the name. Case is ignored.', canCount: true });
    expect(list.filters.map(({ name, type }) => [name, type])).toEqual([
      ['site_id', 'reference'],
      ['enabled', 'flag'],
      ['maintenance', 'flag'],
      ['status', 'choice'],
      ['weight', 'integer'],
      ['created_at', 'time'],
      ['updated_at', 'time'],
    ]);
    expect(named(columns, 'last_sync_at')).toMatchObject({ type: 'time', isNullable: true });
  });

  it('offers the bounds of a member as one filter', () => {
    expect(named(kind('farm').list.filters, 'weight')).toMatchObject({
      type: 'integer',
      range: { from: 'weight_min', to: 'weight_max' },
    });
    const range = { from: 'from', to: 'to' };
    expect(named(kind('audit').list.filters, 'at')).toMatchObject({ type: 'time', range });
    expect(named(kind('issuedToken').list.filters, 'expires_at')?.range).toEqual({
      from: 'expires_after',
      to: 'expires_before',
    });
    const names = kind('audit').list.filters.map(({ name }) => name);
    expect(names).not.toContain('from');
    expect(names).not.toContain('to');
  });

  it('separates secrets, lists of references, nested members and members of new records', () => {
    expect(named(kind('dispatcher').columns, 'health_key')?.type).toBe('secret');
    expect(named(kind('site').create?.fields, 'users')).toMatchObject({
      type: 'reference',
      reference: 'user',
      isMany: true,
    });
    const scope = named(kind('role').create?.fields, 'scope');
    expect(scope?.fields).toMatchObject([{ name: 'sites', reference: 'site', isMany: true, all: '*' }]);
    const members = named(kind('rule').create?.fields, 'members');
    expect(members).toMatchObject({ type: 'object', isMany: true });
    expect(members?.fields?.map(({ name }) => name)).toContain('servicepool_uuid');
    expect(named(kind('authenticator').update?.fields, 'type')?.isImmutable).toBe(true);
    expect(kind('workplace').actions.map(({ id }) => id)).toContain('workplace.message');
  });
});
