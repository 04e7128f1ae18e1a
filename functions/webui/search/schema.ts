import { z } from 'zod';
import { snapshotTypes } from '../../../db/repositories/snapshot/searched.ts';
import type { ResourceType } from '../../../shared/resources.ts';

/** Objects of each type in an answer. */
const most = 20;

export const SearchQuery = z.strictObject({
  text: z
    .string()
    .trim()
    .max(128)
    .default('')
    .meta({ example: 'north' })
    .describe(
      'Part of the name. Case is ignored. Without a text, no object is found. A text of one or two characters is compared with the beginning of the name. Users are also found by their full name and e-mail address, workplace sessions by their user.',
    ),
  limit: z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : text),
      z.int().min(1).max(most),
    )
    .default(5)
    .describe('Maximum number of objects of each type. Default 5.'),
});

/** @param types of records */
export const FoundObjects = (types: readonly ResourceType[]) =>
  z.strictObject({
    items: z
      .array(
        z.strictObject({
          type: z
            .enum([...snapshotTypes, ...types])
            .describe('Type of the object, as in operation identifiers.'),
          id: z
            .string()
            .meta({ example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' })
            .describe('Identifier of the object. For an object of a dispatcher: its identifier there.'),
          name: z
            .string()
            .meta({ example: 'North' })
            .describe('Name of the object. For a workplace session: the name of its user. Empty if unknown.'),
          parent: z
            .strictObject({
              id: z
                .string()
                .meta({ example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a12' })
                .describe('Identifier of the domain or farm.'),
              name: z.string().meta({ example: 'Company' }).describe('Name of the domain or farm.'),
            })
            .nullable()
            .describe(
              'The domain of a user or group, or the farm of a pool, workplace or workplace session. Null for other objects.',
            ),
        }),
      )
      .max(most * (snapshotTypes.length + types.length))
      .describe('Objects that the caller may read, by type. Names that begin with the text are first.'),
  });
