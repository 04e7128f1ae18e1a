import type { z } from 'zod';
import { findTheme } from '../../../db/repositories/settings/themes.ts';
import type { Ctx } from '../../../shared/context/context.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { factorMethods } from '../../../shared/identity/second-factor/challenges.ts';
import { defaultSiteName } from '../../../shared/kernel/branding.ts';
import { version } from '../../../shared/kernel/version.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { type AuthDeps, base, endpoint } from '../deps.ts';
import { Jwks, Settings } from './schema.ts';

export const settingsOperations = [
  endpoint(
    {
      id: 'settings.get',
      route: `GET ${base}/settings`,
      access: 'signed-in',
      forPeers: true,
      summary: 'Get the public settings of the portal',
      returns: [200, Settings],
    },
    settingsOf,
  ),
  endpoint(
    {
      id: 'jwks.get',
      route: `GET ${base}/jwks`,
      access: 'public',
      summary: 'Get the public keys of the portal as a JSON Web Key Set',
      conditional: true,
      returns: [200, Jwks],
    },
    // Verifiers reload the set when they encounter an unknown key; a withdrawn key stays valid for up to a
    // minute.
    ({ deps }) =>
      new Answer(deps.signingKeys.jwks, { revision: 0, headers: { 'cache-control': 'public, max-age=60' } }),
  ),
];

async function settingsOf({ deps, parameters }: Ctx<AuthDeps, SignedIn>): Promise<z.input<typeof Settings>> {
  const { branding } = await findTheme(deps.db);
  return {
    version,
    portal_type: deps.portalType,
    languages: [...languages],
    default_language: parameters['ui.default_language'],
    site_name: String(branding.site_name ?? defaultSiteName),
    password_policy: {
      min_length: parameters['password.min_length'],
      min_length_two_factor: parameters['password.min_length_two_factor'],
      max_length: 256,
    },
    session: {
      admin_absolute_s: parameters['session.admin_absolute_s'],
      user_absolute_s: parameters['session.user_absolute_s'],
      idle_s: parameters['session.idle_s'],
      max_per_user: parameters['session.max_per_user'],
    },
    lockout: { max_tries: parameters['lockout.max_tries'], block_s: parameters['lockout.block_s'] },
    two_factor: { methods: [...factorMethods] },
    service_tokens: { own: parameters['service_tokens.own'] },
    client_download_url: parameters['ui.client_download_url'],
  };
}
