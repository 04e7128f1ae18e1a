import { z } from 'zod';
import {
  bulkRequestSchema,
  mostOperations,
  patchSchema,
  searchSchema,
} from '../../../shared/identity/scim/urns.ts';
import { isObject } from '../../../shared/kernel/json/json.ts';
import { example, schemas } from './schema.ts';

/** A message whose members have names in any case (RFC 7643, 2.1). A name as it is declared takes precedence. */
const inAnyCase = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((message) => named(message, Object.keys(shape)), z.looseObject(shape));

function named(message: unknown, names: readonly string[]): unknown {
  if (!isObject(message)) return message;
  const given = new Map(Object.keys(message).map((name) => [name.toLowerCase(), name]));
  const others = names.flatMap((name) => {
    const other = Object.hasOwn(message, name) ? undefined : given.get(name.toLowerCase());
    return other === undefined ? [] : [[name, message[other]]];
  });
  return others.length === 0 ? message : { ...message, ...Object.fromEntries(others) };
}

const names = z.union([z.string().max(4_096), z.array(z.string().max(256)).max(100)]);

export const SearchRequest = inAnyCase({
  schemas: schemas(searchSchema).optional(),
  attributes: names.nullish().describe('Names of the attributes in the response. Default: all.'),
  excludedAttributes: names.nullish().describe('Names of the attributes that the response does not contain.'),
  filter: example(z.string().max(4_096).nullish(), 'userName sw "a"').describe(
    'Filter. Default: all resources.',
  ),
  sortBy: z.string().max(256).nullish().describe('Attribute of the order. Default: creation time.'),
  sortOrder: z.string().max(16).nullish().describe('`ascending` or `descending`. Default `ascending`.'),
  startIndex: z
    .int()
    .min(-2_147_483_648)
    .max(2_147_483_647)
    .nullish()
    .describe('Position of the first resource, from 1. Default 1.'),
  count: z
    .int()
    .min(-2_147_483_648)
    .max(2_147_483_647)
    .nullish()
    .describe('Number of resources, at most 200. Default 100.'),
  cursor: z.string().max(2_048).nullish().describe('`nextCursor` of the previous page, or an empty text.'),
});

export const PatchRequest = inAnyCase({
  schemas: schemas(patchSchema).optional(),
  Operations: z
    .array(
      inAnyCase({
        op: z
          .string()
          .max(16)
          .meta({ example: 'replace' })
          .describe('`add`, `replace` or `remove`, in any case.'),
        path: z
          .string()
          .max(4_096)
          .nullish()
          .meta({ example: 'active' })
          .describe('Attribute to be changed. Default: those that the value names.'),
        value: z.unknown().optional().meta({ example: false }).describe('New value.'),
      }),
    )
    .min(1)
    .max(1_000)
    .describe('Changes, which are made together or not at all.'),
});

const Method = z.string().max(8).meta({ example: 'POST' }).describe('`POST`, `PUT`, `PATCH` or `DELETE`.');

export const BulkRequest = inAnyCase({
  schemas: schemas(bulkRequestSchema).optional(),
  failOnErrors: z
    .int()
    .min(1)
    .max(100)
    .nullish()
    .describe('Number of errors after which the request ends. Default: it does not end.'),
  Operations: z
    .array(
      inAnyCase({
        method: Method,
        path: z
          .string()
          .max(256)
          .meta({ example: '/Users' })
          .describe('Path within the domain, such as `/Users`.'),
        bulkId: z
          .string()
          .max(128)
          .nullish()
          .meta({ example: 'qwerty' })
          .describe('Identifier of a `POST` within the request. Others refer to it as `bulkId:qwerty`.'),
        version: z.string().max(128).nullish().describe('Expected version, as in `If-Match`.'),
        data: z
          .record(z.string(), z.unknown())
          .nullish()
          .meta({ example: { userName: 'ada' } })
          .describe('Body of the operation.'),
      }),
    )
    .max(1_000)
    .describe(`Operations, at most ${mostOperations}.`),
});
