import { z } from 'zod';
import {
  bulkResponseSchema,
  groupSchema,
  listSchema,
  userSchema,
} from '../../../shared/identity/scim/urns.ts';
import { Id } from '../../../shared/shapes/fields.ts';

export const example = <T extends z.ZodType>(shape: T, value: unknown): T => shape.meta({ example: value });
export const schemas = (urn: string) =>
  example(z.array(z.string().max(256)).max(20), [urn]).describe(
    'URNs of the schemas of the message or resource.',
  );

export const DomainParams = z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') });
export const ResourceParams = DomainParams.extend({ id: Id.describe('Identifier of the resource.') });

/** Clients may send further parameters, which are ignored. */
export const ResourceQuery = z.object({
  attributes: z
    .string()
    .max(4_096)
    .optional()
    .describe('Names of the attributes in the response, with commas between them. Default: all.'),
  excludedAttributes: z
    .string()
    .max(4_096)
    .optional()
    .describe('Names of the attributes that the response does not contain, with commas between them.'),
});

const number = (description: string, shown: number) =>
  z.coerce
    .number()
    .int()
    .min(-2_147_483_648)
    .max(2_147_483_647)
    .optional()
    .meta({ example: shown })
    .describe(description);

export const ScimListQuery = ResourceQuery.extend({
  filter: example(z.string().max(4_096).optional(), 'userName eq "ada"').describe(
    'Filter (RFC 7644, 3.4.2.2). Default: all resources.',
  ),
  sortBy: example(z.string().max(256).optional(), 'userName').describe(
    'Attribute of the order. Default: creation time.',
  ),
  sortOrder: z.string().max(16).optional().describe('`ascending` or `descending`. Default `ascending`.'),
  startIndex: number('Position of the first resource, from 1. Default 1.', 1),
  count: number('Number of resources, at most 200. Default 100.', 100),
  cursor: z
    .string()
    .max(2_048)
    .optional()
    .describe('`nextCursor` of the previous page. An empty text requests the first page (RFC 9865).'),
});

const text = (description: string, shown: string) =>
  z
    .union([z.string().max(4_096), z.number()])
    .nullish()
    .meta({ example: shown })
    .describe(description);
const flag = (description: string) =>
  z
    .union([z.boolean(), z.string().max(16)])
    .nullish()
    .meta({ example: true })
    .describe(description);

/** Clients also send one address without an array; `canonical` checks the type. */
const Emails = z
  .unknown()
  .optional()
  .meta({ example: [{ value: 'ada@example.com', type: 'work', primary: true }] })
  .describe(
    'E-mail addresses: objects with `value`, `type` and `primary`. One is stored: the primary one, or else that of work.',
  );

/** Names of attributes have no case, and unknown attributes are ignored. */
export const ScimUserWrite = z.looseObject({
  schemas: schemas(userSchema).optional(),
  externalId: text(
    'Identifier of the user at the identity provider. It cannot be changed.',
    '2819c223-7f76-453a-919d-413861904646',
  ),
  userName: text('Login name, unique in the domain. Required.', 'ada'),
  displayName: text('Full name.', 'Ada Lovelace'),
  name: z
    .unknown()
    .optional()
    .meta({ example: { givenName: 'Ada', familyName: 'Lovelace' } })
    .describe('Parts of the name: `givenName`, `familyName`, `formatted`.'),
  emails: Emails,
  active: flag('False: the user cannot log in, and all sessions and tokens end. Default true.'),
});

/** `groupOf` checks the members: up to 50,000 objects would take a turn of the event loop here. */
const Members = z
  .unknown()
  .optional()
  .meta({ example: [{ value: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' }] })
  .describe(
    'Users of the group: at most 50,000 objects with `value`, the identifier of the user. Default: none.',
  );

export const ScimGroupWrite = z.looseObject({
  schemas: schemas(groupSchema).optional(),
  externalId: text(
    'Identifier of the group at the identity provider.',
    '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
  ),
  displayName: text('Name of the group, unique in the domain. Required.', 'Engineering'),
  members: Members,
});

const resource = (urn: string, shown: object) =>
  z.looseObject({ schemas: schemas(urn) }).meta({ example: { schemas: [urn], ...shown } });

const meta = (resourceType: string) => ({
  resourceType,
  created: '2026-11-21T08:30:00.000Z',
  lastModified: '2026-11-21T08:30:00.000Z',
  location: `https://portal.example.com/scim/v2/01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11/${resourceType}s/01932b5e-7d8a-7c33-9d52-0a3f5f2f8a12`,
  version: 'W/"1"',
});
const id = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a12';

export const ScimUser = resource(userSchema, { id, userName: 'ada', active: true, meta: meta('User') });
export const ScimGroup = resource(groupSchema, {
  id,
  displayName: 'Engineering',
  members: [],
  meta: meta('Group'),
});
export const ScimList = resource(listSchema, {
  totalResults: 0,
  itemsPerPage: 0,
  startIndex: 1,
  Resources: [],
});
export const BulkResponse = resource(bulkResponseSchema, { Operations: [] });
export const ScimDescription = z.looseObject({
  schemas: z.array(z.string()).describe('URNs of the schemas of the resource.'),
});
