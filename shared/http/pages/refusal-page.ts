import { html } from 'hono/html';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { inLanguage, type Text } from '../../messages/message.ts';
import { inItsLanguage } from '../problem.ts';
import { pageHeaders } from './policy.ts';

/**
 * Returns a 403 page for a user with a session, because another sign-in would redirect back here.
 * @param path the requested path
 */
export async function forbiddenPage(path: string, detail: Text, language: Language): Promise<Response> {
  const title = inLanguage('Access denied', language);
  const nonce = randomToken(16);
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
</style>
</head>
<body><main>
<h1>${title}</h1>
<p>${inLanguage(detail, language)}</p>
<p><a href="/signin?next=${encodeURIComponent(path)}">${inLanguage('Sign in as another user', language)}</a></p>
</main></body></html>`;
  return new Response(String(await page), {
    status: 403,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...pageHeaders(nonce),
      ...inItsLanguage(language),
    },
  });
}
