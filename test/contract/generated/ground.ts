import { loginLocks } from '../../../db/schema/identity/login-locks.ts';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import { goodPassword, unique } from '../../support/factories.ts';
import type { ScimClient } from '../../support/identity/scim.ts';
import { dataUri, png } from '../../support/pictures.ts';
import { adminPassword, type Json, type TestPortal } from '../../support/portal.ts';
import {
  bodyShown,
  describedAs,
  everyOperation,
  isScim,
  pathOf,
  type Registered,
  resolve,
} from './described.ts';

/** An existing object, with the body of its creation. */
export type Made = { id: string; path: string; sent: Json; shown: Json };
/** A valid request: its path and its body refer to existing objects. */
export type Ground = { path: string; values: Values; body: Json };
type Values = Record<string, string>;

/** Those for tokens: a test sign-in begins in the browser of an administrator. */
const creators = everyOperation.filter(
  ({ id, method, returns }) => method === 'POST' && returns[0] === 201 && id !== 'authenticator.testSignIn',
);

/** The operation that creates the objects of a collection. */
export const creatorOf = (collection: string): Registered | undefined =>
  creators.find(({ path }) => path === collection);

/** The operation that creates the rows of a list, of all rows or of those of one owner. */
export const creatorFor = ({ path }: Registered): Registered | undefined =>
  creatorOf(path) ??
  creators.find(
    (create) =>
      path.endsWith(`}${create.path.slice(create.path.lastIndexOf('/'))}`) &&
      Object.hasOwn(bodyShown(create), ownerMember(path)),
  );

/** The member by which the objects of a collection refer to their parent. */
export const ownerMember = (collection: string): string =>
  `${creatorOf(collection.replace(/\/\{\w+\}\/\w+$/, ''))?.id.split('.')[0]}_id`;

/** Unique members. */
const distinct = ['name', 'uri', 'small_name', 'userName', 'displayName', 'externalId'];
const inOneDay = new Date(Date.now() + 86_400_000).toISOString();
/** Members of a node that depend on its kind. */
const withoutAccount = {
  ...{ kind: 'dispatcher', account_domain: null, account_name: null, account_password: null },
  public_url: null,
  sends_client_address: false,
};
/** Values that the document does not define: a password that the policy accepts, an unreachable node. */
const known: Record<string, Json> = {
  'user.create': { password: goodPassword },
  'dispatcher.create': { ...withoutAccount, url: 'https://127.0.0.1:1', timeout_ms: 500 },
  'dispatcher.testSettings': { url: 'https://127.0.0.1:1', timeout_ms: 500 },
  'scimGroup.create': { members: [] },
  'serviceToken.create': { expires_at: inOneDay },
  'userinfo.createServiceToken': { expires_at: inOneDay, proof: { password: adminPassword } },
};
let width = 0;
/** A value that no other object has, for a unique member. */
function distinctValue({ id }: Registered, name: string): string | undefined {
  if (distinct.includes(name)) return unique('made');
  if (name === 'issuer') return `https://${unique('made')}.example.com`;
  // The gallery has each picture once.
  return id === 'picture.create' && name === 'image' ? dataUri('png', png(++width, 5)) : undefined;
}

/** Tokens are those of services, which have no password. */
const ownerOf = (template: string): Json =>
  template.includes('/tokens') ? { kind: 'service', password: null } : {};

/**
 * Creates the objects of an operation with the creating operations.
 * @param given members of bodies by the id of the operation
 * @param scim the domain and the token of the operations of SCIM
 */
export function createGround(
  portal: Pick<TestPortal, 'send' | 'db'>,
  token: string,
  given: Record<string, Json> = {},
  scim?: Pick<ScimClient, 'domain' | 'token'>,
) {
  const references = new Map<string, Promise<Made>>();

  const make = async (create: Registered, path: string, more: Json = {}): Promise<Made> => {
    const sent = { ...(await bodyOf(create)), ...more };
    const access = isScim(create) ? { headers: { authorization: `Bearer ${scim?.token}` } } : { token };
    // Wrong passwords of other cases have locked the account.
    if ('proof' in sent) await portal.db.delete(loginLocks);
    const answer = await portal.send(`POST ${path}`, { ...access, body: sent });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return { id: answer.body.id, path: `${path}/${answer.body.id}`, sent, shown: answer.body };
  };

  /** One object of the kind for all references to it. */
  const reference = async (kind: string): Promise<Made | undefined> => {
    const create = creators.find(({ id }) => id === `${kind}.create`);
    if (!create) return undefined;
    const made =
      references.get(kind) ??
      valuesFor(create.path).then(({ values }) => make(create, pathOf(create, values)));
    references.set(kind, made);
    return made;
  };

  const bodyOf = async (operation: Registered): Promise<Json> => {
    const shown = { ...bodyShown(operation), ...known[operation.id], ...given[operation.id] };
    for (const name of Object.keys(shown)) {
      // The name of a user in SCIM is an object of names.
      if (typeof shown[name] === 'string') shown[name] = distinctValue(operation, name) ?? shown[name];
      const referred = name.endsWith('_id') && (await reference(name.slice(0, -'_id'.length)));
      if (referred) shown[name] = referred.id;
    }
    return shown;
  };

  /** The version that the creation of the object made. */
  const versionOf = async ({ path }: Made): Promise<string> =>
    (await portal.send(`GET ${path}/history`, { token })).body.items[0].version;

  /** A parameter that is not the id of an object that can be created. */
  const furtherValue = async (name: string, owner: Made | undefined): Promise<string | undefined> => {
    if (name === 'version' && owner) return versionOf(owner);
    return name === 'site_uri' ? (await reference('site'))?.shown.uri : undefined;
  };

  /** Values for the parameters of a path: an object of the collection before each. */
  const valuesFor = async (template: string): Promise<{ values: Values; last: Made | undefined }> => {
    const values: Values = scim && template.startsWith('/scim/') ? { auth_uuid: scim.domain.id } : {};
    let last: Made | undefined;
    for (const { 1: name = '', index } of template.matchAll(/\{(\w+)\}/g)) {
      const create = creatorOf(template.slice(0, index - 1));
      const more = create?.id === 'user.create' ? ownerOf(template) : {};
      const owner: Made | undefined = last;
      last = create && (await make(create, pathOf(create, values), more));
      const value = last?.id ?? (await furtherValue(name, owner));
      if (value !== undefined) values[name] = value;
    }
    return { values, last };
  };

  return {
    make,
    valuesFor,
    of: async (operation: Registered): Promise<Ground> => {
      const { values, last } = await valuesFor(operation.path);
      const path = pathOf(operation, values);
      if (!operation.body) return { path, values, body: undefined };
      if (operation.id.endsWith('.restore') && last)
        return { path, values, body: { version: await versionOf(last) } };
      // A replacement by the body of the creation does not change properties that are set at creation only.
      const body = operation.method === 'PUT' && last ? last.sent : await bodyOf(operation);
      return { path, values, body };
    },
  };
}

export type GroundWorks = ReturnType<typeof createGround>;

/** Of the media type that the operation names first: JSON, a form or SCIM. */
export function bodySchemaOf(operation: Registered): Schema {
  const { content } = resolve(describedAs(operation).requestBody);
  const media: Json[] = Object.values(content);
  return resolve((content['application/json'] ?? media[0]).schema);
}
