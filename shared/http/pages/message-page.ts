import { html } from 'hono/html';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { inLanguage, type Text } from '../../messages/message.ts';
import { inItsLanguage, type Problem } from '../problem.ts';
import { pageHeaders } from './policy.ts';

type MessageParts = { title: string; language: Language; status?: number; content: unknown };

/** The colours of `frame.css`, without files: also modules without assets return such pages. */
const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box;
  background: light-dark(#f5f6f8, #101318); color: light-dark(#1b2230, #e8ebf0) }
main { box-sizing: border-box; width: min(42rem, 100%); padding: clamp(1.5rem, 6vw, 2.5rem); border: 1px solid light-dark(#dde1e8, #303743);
  border-radius: 1.25rem; background: light-dark(#fff, #191d24); overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.015em }
p { margin: .5rem 0 } small { color: light-dark(#566072, #a3adbd) }
a { color: light-dark(#1d4ed8, #93b4ff); text-underline-offset: .2em }
code { font-size: .95em } dt { margin-top: 1rem; font-weight: 600 } dd { margin: 0 }`;

/** A page with one message, as a document and its headers. It loads nothing. */
export function messageDocument({ title, language, content }: MessageParts): {
  text: string;
  headers: Record<string, string>;
} {
  const nonce = randomToken(16);
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body><main>
<h1>${title}</h1>
${content}
</main></body></html>`;
  return { text: String(page), headers: pageHeaders(nonce) };
}

const messageResponse = (parts: MessageParts): Response => {
  const { text, headers } = messageDocument(parts);
  return new Response(text, {
    status: parts.status ?? 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers, ...inItsLanguage(parts.language) },
  });
};

/**
 * Returns a 403 page for a user with a session, because another sign-in would redirect back here.
 * @param path the requested path
 */
export const forbiddenPage = (path: string, detail: Text, language: Language): Response =>
  messageResponse({
    title: inLanguage('Access denied', language),
    language,
    status: 403,
    content: html`<p>${inLanguage(detail, language)}</p>
<p><a href="/signin?next=${encodeURIComponent(path)}">${inLanguage('Sign in as another user', language)}</a></p>`,
  });

/** The same refusal as a page for people. */
export function asPage(refusal: Response, problem: Problem, language: Language): Response {
  const content = html`<p>${problem.detail}</p>
<p><a href="/">${inLanguage('Go to the start page', language)}</a></p>
<p><small>${problem.instance}</small></p>`;
  const page = messageResponse({ title: problem.title, language, status: problem.status, content });
  const headers = new Headers(refusal.headers);
  for (const [name, value] of page.headers) headers.set(name, value);
  return new Response(page.body, { status: refusal.status, headers });
}

/** Redirects to the sign-in page, which redirects users with a session to the first page for them. */
export const startResponse = (): Response =>
  new Response(null, { status: 302, headers: { location: '/signin?next=%2F' } });

/** True if a person waits for the response: a browser that opens a page. */
export const isForReader = (method: string, accept: string | null): boolean =>
  (method === 'GET' || method === 'HEAD') && (accept ?? '').includes('text/html');
