import { html } from 'hono/html';
import { randomToken } from '../kernel/digests.ts';
import { pageHeaders } from './page-policy.ts';

/**
 * A 403 as a page, for a reader who is signed in already: to sign in again would lead back here.
 * @param path where the reader wanted to go
 */
export async function forbiddenPage(path: string, detail: string): Promise<Response> {
  const nonce = randomToken(16);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Access denied</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
</style>
</head>
<body><main>
<h1>Access denied</h1>
<p>${detail}</p>
<p><a href="/signin?next=${encodeURIComponent(path)}">Sign in as another user</a></p>
</main></body></html>`;
  return new Response(String(await page), {
    status: 403,
    headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(nonce) },
  });
}
