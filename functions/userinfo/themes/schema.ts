import { z } from 'zod';
import { Color, lengthFirst, PlainName } from '../../../shared/http/fields.ts';
import { PictureUri } from '../../../shared/http/picture-field.ts';
import { defaultSiteName } from '../../../shared/kernel/branding.ts';
import { languages } from '../../../shared/messages/languages.ts';

/** Plain text in lines: what looks like markup is shown as it stands. */
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

const WebLink = z
  .string()
  .max(2048, lengthFirst)
  .refine((text) => text === '' || isWebAddress(text), 'Must be an http or https address, or empty')
  .default('')
  .meta({ example: 'https://support.example.com/' });

const Picture = PictureUri.nullable().default(null);

export const ThemeWrite = z.strictObject({
  site_name: PlainName.default(defaultSiteName),
  logo: Picture,
  favicon: Picture,
  login_background: Picture,
  primary_color: Color.default('#2563eb'),
  accent_color: Color.default('#0f766e'),
  login_text: Lines(4096),
  footer_text: Lines(1024),
  copyright: Text(256),
  copyright_link: WebLink,
  support_link: WebLink,
  default_language: z.enum(languages).default(languages[0]),
});

export const Theme = z.strictObject(ThemeWrite.shape);

/** The members that are pictures. */
export const pictures = ['logo', 'favicon', 'login_background'] as const;

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s"<>\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
