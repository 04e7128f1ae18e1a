import type { RequestCtx } from '../../../shared/http/context.ts';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { accentsOf, frameColors } from '../../../shared/http/pages/branding.ts';
import { filePageHeaders } from '../../../shared/http/pages/policy.ts';
import { readBranding } from '../../../shared/http/pages/read-branding.ts';
import { fill } from '../../../shared/http/pages/template.ts';
import { webPages } from '../../../shared/http/pages/web-pages.ts';
import { Document } from '../../../shared/http/serve/answer.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import type { HomeDeps } from '../deps.ts';
import { iconFile, iconsFor } from '../icons.ts';

type Ctx = RequestCtx<HomeDeps>;

/** None of these answers belongs to a user, so compressing them reveals nothing. */
const publicText = { isCompressible: true };

const textsIn = async (
  { assets }: HomeDeps,
  part: 'account' | 'frame' | 'home',
  language: Language,
): Promise<Record<string, string>> => JSON.parse(await assets.text(`${part}.${language}.json`));

/** The manifest of the page (W3C Web Application Manifest). */
export async function manifest({ deps, language }: Ctx): Promise<Document> {
  const [{ branding }, texts, accountTexts] = await Promise.all([
    readBranding(deps),
    textsIn(deps, 'home', language),
    textsIn(deps, 'account', language),
  ]);
  const content = {
    id: '/home/',
    name: branding.site_name,
    description: texts.app_description,
    lang: language,
    dir: 'ltr',
    start_url: '/home/',
    scope: '/home/',
    display: 'standalone',
    theme_color: branding.primary_color,
    background_color: frameColors.ground_light,
    icons: iconsFor(branding.favicon ?? ''),
    shortcuts: [{ name: accountTexts.account, url: '/home/#account' }],
  };
  const headers = { 'cache-control': 'public, max-age=900', vary: 'accept-language' };
  return new Document(
    JSON.stringify(content),
    'application/manifest+json; charset=utf-8',
    headers,
    publicText,
  );
}

/** @throws AppError `not_found` */
export async function icon({ deps }: Ctx, file: string): Promise<Document> {
  const favicon = async () => (await readBranding(deps)).branding.favicon ?? '';
  const found = await iconFile(deps.assets, favicon, file);
  if (!found) throw notFound();
  return new Document(found.content, found.mediaType, {
    etag: `"${found.digest}"`,
    'cache-control': 'public, max-age=86400',
    // A picture that is opened as a page runs no scripts and loads nothing.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
}

/** The service worker. Browsers compare it with the installed one when the page is opened. */
export async function serviceWorker({ deps: { assets } }: Ctx): Promise<Document> {
  const { offline } = await webPageOf(assets, 'home');
  if (!offline) throw notFound();
  return new Document(
    await assets.text(offline.worker),
    'text/javascript; charset=utf-8',
    {
      etag: `"${offline.worker}"`,
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; connect-src 'self'",
    },
    publicText,
  );
}

/**
 * Renders the page for the time without the portal. Browsers store it, so it has neither a nonce nor anything of a user.
 * @param chosen default: the language of the request
 */
export async function offlinePage(ctx: Ctx, chosen?: Language): Promise<Document> {
  const { deps, language } = { ...ctx, ...(chosen && { language: chosen }) };
  const [{ branding }, texts, template, { offline, texts: textFiles }] = await Promise.all([
    readBranding(deps),
    Promise.all([textsIn(deps, 'frame', language), textsIn(deps, 'home', language)]),
    deps.assets.text('offline.html'),
    webPageOf(deps.assets, 'home'),
  ]);
  if (!offline) throw notFound();
  const addressOf = (file: string): string => `${webPages.home.files}/${file}`;
  const html = fill(template, {
    ...Object.assign({}, ...texts),
    ...branding,
    ...accentsOf(branding),
    ...frameColors,
    language,
    style: addressOf(offline.style),
    script: addressOf(offline.script),
    texts: addressOf(textFiles[language]),
    '&facts': JSON.stringify({ language }),
  });
  const headers = {
    ...filePageHeaders,
    'content-language': language,
    'cache-control': 'public, max-age=3600',
    ...(!chosen && { vary: 'accept-language' }),
  };
  return new Document(html, 'text/html; charset=utf-8', headers, publicText);
}
