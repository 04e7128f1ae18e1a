import { Document } from '../../../shared/http/answer.ts';
import { endpoint } from '../deps.ts';

const forms = [
  { form: 'json', mediaType: 'application/json', id: 'openapi.get', name: 'JSON' },
  { form: 'yaml', mediaType: 'application/yaml', id: 'openapi.getYaml', name: 'YAML' },
] as const;

export const openapiOperations = forms.map(({ form, mediaType, id, name }) =>
  endpoint(
    {
      id,
      route: `GET /api/openapi.${form}`,
      access: 'signed-in',
      browser: 'administrator',
      orToken: true,
      summary: `The OpenAPI document as ${name}`,
      description: 'It describes what this type of portal serves.',
      returns: [200, null],
      alsoReturns: [mediaType],
    },
    async ({ deps: { assets, portalType } }) =>
      new Document(await assets.text(`openapi.${portalType}.${form}`), mediaType, { vary: 'cookie' }),
  ),
);
