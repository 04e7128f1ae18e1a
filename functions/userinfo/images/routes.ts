import { z } from 'zod';
import { answerServicePicture, pictureTypes } from '../../../shared/http/declare/pictures.ts';
import { base, endpoint } from '../deps.ts';

export const imageOperations = [
  endpoint(
    {
      id: 'image.get',
      route: `GET ${base}/images/{image_id}`,
      access: 'signed-in',
      summary: 'Get the picture of a service on any portal type',
      description: 'An unknown identifier returns the default picture.',
      params: z.object({
        image_id: z
          .string()
          .meta({ example: 'rdp' })
          .describe('Identifier of a picture, or `rdp`, `spice` or `default`.'),
      }),
      conditional: true,
      returns: [200, null],
      alsoReturns: pictureTypes,
    },
    (ctx, { params: { image_id } }) => answerServicePicture(ctx, image_id),
  ),
];
