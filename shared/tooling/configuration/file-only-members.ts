import { z } from 'zod';
import { Id, Name } from '../../shapes/fields.ts';
import { PictureUri } from '../../shapes/picture-field.ts';

/** The domain of a group, whose id is part of the path in the API. */
export const Owner = z.object({ authenticator_id: Id.meta({ description: 'The domain of the group' }) });

const DirectoryName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.;-]{0,63}$/, 'Must be a name from the directory');

/** Attributes copied from a directory to its users; changed by a separate operation. */
export const Attributes = z
  .array(
    z.strictObject({
      name: DirectoryName,
      source: DirectoryName.optional().meta({ description: 'Attribute of the directory. Default: the name' }),
      title: z.string().trim().max(128).default(''),
    }),
  )
  .max(100)
  .default([])
  .transform((all) => all.map(({ name, source = name, title }) => ({ name, source, title })))
  .meta({ description: 'Attributes of the directory that users get a copy of when they log in' });

/** The picture of a rule by its SHA-256, or in a file by the name of an entry of `images`. */
export const RuleImage = z.string().nullable().default(null).meta({ description: 'The picture of the rule' });

/** A picture with a name that exists only in the file; the portal stores it with the rules that use it. */
export const ImageEntry = z
  .strictObject({
    name: Name,
    image: PictureUri.optional(),
    file: z.string().min(1).optional().meta({
      description: 'A file of type .png, .webp or .svg, relative to the configuration file',
    }),
  })
  .refine(({ image, file }) => (image === undefined) !== (file === undefined), {
    message: 'Either `image` or `file` is required',
    params: { code: 'required' },
  });
