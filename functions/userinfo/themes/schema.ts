import { z } from 'zod';
import { defaultSiteName } from '../../../shared/kernel/branding.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { Address } from '../../../shared/shapes/addresses.ts';
import { Color, lengthFirst, PlainName } from '../../../shared/shapes/fields.ts';
import { PictureUri } from '../../../shared/shapes/picture-field.ts';

/** Plain text with line breaks. Markup is not interpreted. */
const Text = (longest: number) =>
  z
    .string()
    .max(longest, lengthFirst)
    .regex(/^[^\p{Cc}]*$/u, 'Must not contain control characters')
    .default('');
const Lines = (longest: number) =>
  z
    .string()
    .max(longest, lengthFirst)
    .regex(/^(?:[^\p{Cc}]|[\t\n\r])*$/u, 'Must not contain control characters')
    .default('');

const WebLink = Address('download', { isOptional: true })
  .default('')
  .meta({ example: 'https://support.example.com/' });

const download = (system: string) =>
  WebLink.meta({ example: 'https://downloads.example.com/client' }).describe(
    `Web address of the client program for ${system}. Default: empty.`,
  );

/** Web addresses of client programs. */
const ClientDownloads = z.strictObject({
  windows: download('Windows'),
  macos: download('macOS'),
  linux: download('Linux'),
  android: download('Android'),
  ios: download('iOS and iPadOS'),
});

const Picture = PictureUri.nullable().default(null);

export const ThemeWrite = z.strictObject({
  site_name: PlainName.default(defaultSiteName).describe('Name of the installation, shown on pages.'),
  logo: Picture.describe('Logo of the pages, as a data URI. Null: no logo.'),
  favicon: Picture.describe('Icon of the pages, as a data URI. Null: the built-in icon.'),
  login_background: Picture.describe(
    'Background picture of the sign-in page, as a data URI. Null: no picture.',
  ),
  primary_color: Color.default('#2563eb').describe('Primary colour of the pages, `#rrggbb`.'),
  accent_color: Color.default('#0f766e').describe('Secondary colour of the pages, `#rrggbb`.'),
  login_text: Lines(4096).describe(
    'Text on the sign-in page. Markup is shown as plain text. Default: empty.',
  ),
  footer_text: Lines(1024).describe('Text in the footer of the pages. Default: empty.'),
  copyright: Text(256).describe('Copyright line of the pages. Default: empty.'),
  copyright_link: WebLink.describe('Web address linked from the copyright line. Default: empty.'),
  support_link: WebLink.describe('Web address of the support. Default: empty.'),
  client_downloads: ClientDownloads.default(ClientDownloads.parse({})).describe(
    'Where users get client programs, by operating system. Default: all empty.',
  ),
  default_language: z
    .enum(languages)
    .default(languages[0])
    .describe(
      'Language of users who have not chosen one, `en` or `ru`. Same as the parameter `ui.default_language`.',
    ),
});

export const Theme = z.strictObject(ThemeWrite.shape);

/** The fields that contain pictures. */
export const pictures = ['logo', 'favicon', 'login_background'] as const;
