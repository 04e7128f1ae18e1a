import { z } from 'zod';
import {
  answerProtocolPicture,
  answerServicePicture,
  pictureTypes,
} from '../../../shared/http/declare/pictures.ts';
import { base, endpoint } from '../deps.ts';

const gallery = `${base}/gallery/images` as const;
const params = z.object({
  image_id: z
    .string()
    .meta({ example: 'rdp' })
    .describe('Identifier of a picture, or `rdp`, `spice` or `default`.'),
});

export const imageOperations = [
  endpoint(
    {
      id: 'image.getOfService',
      route: `GET ${gallery}/srvimg/{image_id}`,
      access: 'signed-in',
      summary: 'Get the picture of a service',
      description: 'An unknown identifier returns the default picture.',
      params,
      conditional: true,
      returns: [200, null],
      alsoReturns: pictureTypes,
    },
    (ctx, { params: { image_id } }) => answerServicePicture(ctx, image_id),
  ),
  endpoint(
    {
      id: 'image.getOfProtocol',
      route: `GET ${gallery}/transicon/{image_id}`,
      access: 'signed-in',
      summary: 'Get the picture of a delivery protocol',
      description:
        'Accepts `rdp`, `spice` or the identifier of a picture. An unknown identifier returns 404.',
      params,
      conditional: true,
      returns: [200, null],
      alsoReturns: pictureTypes,
    },
    (ctx, { params: { image_id } }) => answerProtocolPicture(ctx, image_id),
  ),
];
