import { endpoint } from '../deps.ts';
import { pictureCrud } from './record.ts';
import { PictureCreate } from './schema.ts';
import { createPicture, deletePicture, replacePicture, updatePicture } from './usecases.ts';

const { operations, declared, target } = pictureCrud;
/** Leaves room for a picture in which every byte is percent-encoded. */
const maxBodyBytes = 2 * 1_048_576;

export const pictureOperations = [
  ...operations,
  endpoint(
    {
      ...declared.create,
      summary: 'Add a picture to the gallery',
      description:
        'A picture that is already stored for a rule is added with its present identifier. `already_exists` carries `existing_id` if the gallery has the same bytes or the name.',
      body: { required: PictureCreate },
      maxBodyBytes,
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, { body }) => createPicture(ctx, body),
  ),
  endpoint({ ...declared.replace, maxBodyBytes }, (ctx, input) =>
    replacePicture(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, maxBodyBytes }, (ctx, input) =>
    updatePicture(ctx, target(input), input.body),
  ),
  endpoint(declared.delete, (ctx, input) => deletePicture(ctx, target(input))),
];
