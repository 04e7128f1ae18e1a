import { base, endpoint } from '../deps.ts';
import { Theme, ThemeWrite } from './schema.ts';
import { readTheme, writeTheme } from './usecases.ts';

export const themeOperations = [
  endpoint(
    {
      id: 'theme.get',
      route: `GET ${base}/themes`,
      access: 'signed-in',
      summary: 'Get the branding of the portal',
      conditional: true,
      returns: [200, Theme],
    },
    readTheme,
  ),
  endpoint(
    {
      id: 'theme.replace',
      route: `PUT ${base}/themes`,
      access: 'themes.update',
      summary: 'Replace the branding of the portal',
      description: 'Texts are plain text: markup is not interpreted.',
      conditional: true,
      body: { required: ThemeWrite },
      // Leaves room for three pictures.
      maxBodyBytes: 2 * 1_048_576,
      returns: [200, Theme],
    },
    (ctx, { body, conditions }) => writeTheme(ctx, conditions, body),
  ),
];
