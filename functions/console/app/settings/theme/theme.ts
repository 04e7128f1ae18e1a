import type { Operations } from '../../../../../shared/client/operations.ts';
import { languages } from '../../../../../shared/messages/languages.ts';
import { type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { languageNames } from '../../../../../shared/web/text/language-names.ts';
import type { Values } from '../../records/form/form-values.ts';
import type { Field } from '../../records/kinds.ts';
import { say } from '../../texts.ts';

export type Theme = Operations['theme.get']['answer'];
export type ThemeState = { theme: Theme; etag: string | undefined };

export const themeKey = ['theme', 'theme'];
const path = '/api/userinfo/themes';
const limitMs = 30_000;

export async function readTheme(signal?: AbortSignal): Promise<ThemeState> {
  const limit = AbortSignal.timeout(limitMs);
  const { body, etag } = await sendRequest({
    method: 'GET',
    path,
    // Pages may show a branding of some seconds ago, but a form may not.
    cache: 'no-cache',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  return { theme: body as Theme, etag };
}

/** @param etag of the version that is replaced */
export const themeWrite = (values: Values, etag: string | undefined): Sending => ({
  method: 'PUT',
  path,
  body: { ...values, client_downloads: downloadsOf(values) },
  headers: { ...(etag !== undefined && { 'if-match': etag }) },
});

export const sendTheme = (values: Values, etag: string | undefined) =>
  sendRequest({ ...themeWrite(values, etag), signal: AbortSignal.timeout(limitMs) });

const systems = ['windows', 'macos', 'linux', 'android', 'ios'] as const;

/** An emptied address is an empty text. */
function downloadsOf({ client_downloads }: Values): Record<string, unknown> {
  const given = (client_downloads ?? {}) as Record<string, unknown>;
  return Object.fromEntries(systems.map((system) => [system, given[system] ?? '']));
}

const address = (name: string, label: string): Field => ({ name, label, type: 'text', maxLength: 2_048 });

const pictureNames = ['logo', 'favicon', 'login_background'] as const;

const pictures: Field[] = pictureNames.map((name) => ({
  name,
  label: say(`theme_${name}`),
  help: say(`theme_${name}_help`),
  type: 'picture',
  isNullable: true,
}));

const colors: Field[] = [
  {
    name: 'primary_color',
    label: say('theme_primary_color'),
    help: say('theme_primary_color_help'),
    type: 'text',
  },
  { name: 'accent_color', label: say('theme_accent_color'), type: 'text' },
];

/** The members of the form, in groups. */
export const groups = [
  {
    title: 'theme_name_and_language',
    fields: [
      { name: 'site_name', label: say('theme_site_name'), type: 'text', maxLength: 128, isRequired: true },
      {
        name: 'default_language',
        label: say('theme_default_language'),
        help: say('theme_default_language_help'),
        type: 'choice',
        isRequired: true,
        choices: languages.map((value) => ({ value, label: languageNames[value] })),
      },
    ],
  },
  { title: 'theme_colors', fields: colors },
  { title: 'theme_pictures', fields: pictures },
  {
    title: 'theme_texts',
    fields: [
      { name: 'login_text', label: say('theme_login_text'), type: 'long_text', maxLength: 4_096 },
      { name: 'footer_text', label: say('theme_footer_text'), type: 'long_text', maxLength: 1_024 },
      { name: 'copyright', label: say('theme_copyright'), type: 'text', maxLength: 256 },
      address('copyright_link', say('theme_copyright_link')),
      address('support_link', say('theme_support_link')),
    ],
  },
  {
    title: 'theme_downloads',
    fields: [
      {
        name: 'client_downloads',
        label: say('theme_client_downloads'),
        help: say('theme_client_downloads_help'),
        type: 'object',
        fields: [
          address('windows', 'Windows'),
          address('macos', 'macOS'),
          address('linux', 'Linux'),
          address('android', 'Android'),
          address('ios', 'iOS, iPadOS'),
        ],
      },
    ],
  },
] as const satisfies readonly { title: string; fields: readonly Field[] }[];

export const fields: readonly Field[] = groups.flatMap((group): readonly Field[] => group.fields);
