import { z } from 'zod';
import { Document } from '../../../shared/http/serve/answer.ts';
import { etagOf } from '../../../shared/http/serve/conditions.ts';
import { endpoint } from '../deps.ts';

const OpenApi = z.looseObject({
  openapi: z.string().meta({ example: '3.1.0' }).describe('Version of the OpenAPI specification.'),
  info: z
    .looseObject({
      title: z.string().describe('Name of the API.'),
      version: z.string().describe('Version of the API.'),
    })
    .describe('Metadata of the API.'),
  paths: z.record(z.string(), z.unknown()).describe('Operations by path and method.'),
});

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
      browser: 'administrator or token',
      summary: `Get the OpenAPI document as ${name}`,
      description: 'The document describes the operations of this type of portal.',
      conditional: true,
      returns: [200, form === 'json' ? OpenApi : null],
      ...(form === 'yaml' && { alsoReturns: [mediaType] }),
    },
    async ({ deps: { assets, portalType } }) => {
      const text = await assets.text(`openapi.${portalType}.${form}`);
      // The document has a megabyte: clients may cache it but must revalidate it each time.
      const caching = { 'cache-control': 'private, no-cache', etag: etagOf(0, text) };
      const headers = { ...caching, vary: 'cookie' };
      // The document contains no secrets and no user input, so compression reveals nothing.
      return new Document(text, mediaType, headers, { isCompressible: true });
    },
  ),
);
