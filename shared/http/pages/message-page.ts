import { html, raw } from 'hono/html';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { type Detail, inLanguage, type Text } from '../../messages/message.ts';
import { inItsLanguage, type Problem } from '../problem.ts';
import type { Branding } from './branding.ts';
import { schemeScript, styleOf } from './message-style.ts';
import { pageHeaders } from './policy.ts';

/** What a message depends on besides its contents. */
export type MessageView = {
  language: Language;
  branding: Branding;
  requestId: string;
  /** Where the reader starts again. Default: the same address. */
  startsAt?: string | undefined;
};

type MessageParts = {
  title: string;
  view: MessageView;
  content: unknown;
  /** At the end of the bar. */
  tools?: unknown;
  /** The address to which a response to the form of the page redirects. */
  formsLeadTo?: string | undefined;
};

/** Pictures with more characters are left out, so that refusals stay much cheaper than the requests of an attacker. */
const longestPicture = 32_768;
const picture = (address = ''): string => (address.length > longestPicture ? '' : address);

/**
 * A page with one message in the look of the frame, as a document and its headers. It loads nothing and reads nothing:
 * it is also shown without a database.
 */
export function messageDocument({ title, view, content, tools = '', formsLeadTo }: MessageParts): {
  text: string;
  headers: Record<string, string>;
} {
  const { branding, language } = view;
  const nonce = randomToken(16);
  const logo = picture(branding.logo);
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${branding.site_name}</title>
<link rel="icon" href="${picture(branding.favicon) || 'data:,'}">
<style nonce="${nonce}">${raw(styleOf(branding))}</style>
<script nonce="${nonce}">${raw(schemeScript)}</script>
</head>
<body>
<header><a class="brand" href="/">${logo && html`<img src="${logo}" alt="">`}<span>${branding.site_name}</span></a>${tools}</header>
<main>
<h1>${title}</h1>
${content}
</main>
${footerOf(view)}
</body></html>`;
  return { text: String(page), headers: pageHeaders(nonce, { formsLeadTo }) };
}

function footerOf({ branding, language }: MessageView) {
  const { footer_text, copyright, copyright_link, support_link } = branding;
  if (!footer_text && !copyright && !support_link) return '';
  const owner = copyright_link
    ? html`<a href="${copyright_link}" rel="noreferrer">${copyright}</a>`
    : copyright;
  return html`<footer>${footer_text && html`<p>${footer_text}</p>`}<p>${copyright && owner}${
    support_link && html`<a href="${support_link}" rel="noreferrer">${inLanguage('Support', language)}</a>`
  }</p></footer>`;
}

const messageResponse = (status: number, parts: MessageParts): Response => {
  const { text, headers } = messageDocument(parts);
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...headers,
      ...inItsLanguage(parts.view.language),
    },
  });
};

const requestLine = ({ language, requestId }: MessageView) =>
  html`${inLanguage('Request ID', language)}: <code>${requestId}</code>`;

const startLink = (language: Language) =>
  html`<a href="/">${inLanguage('Go to the start page', language)}</a>`;

/**
 * Returns a 403 page for a user with a session, because another sign-in would redirect back here.
 * @param path the requested path
 */
export const forbiddenPage = (path: string, detail: Text, view: MessageView): Response =>
  messageResponse(403, {
    title: inLanguage('Access denied', view.language),
    view,
    content: html`<p>${inLanguage(detail, view.language)}</p>
<p class="actions">${startLink(view.language)}
<a href="/signin?next=${encodeURIComponent(path)}">${inLanguage('Sign in as another user', view.language)}</a></p>
<p class="facts">403 · ${requestLine(view)}</p>`,
  });

/** Titles for people who open an address; those of the problem are for programs. */
const titles: Partial<Record<string, Detail>> = { not_found: 'The page does not exist' };

/** What people can do about a refusal, by its code. */
const advice: Partial<Record<string, Detail>> = {
  not_found: 'Check the address. The page may have been moved or deleted.',
  method_not_allowed: 'The address is part of the API and cannot be opened as a page.',
  invalid_request: 'Check the address, or open the page from the start page.',
  https_required: 'Open the address with https:// instead of http://.',
  internal: 'Try again later. If the error persists, report the request ID to the support.',
};

/** The same refusal as a page for people. */
export function asPage(refusal: Response, problem: Problem, view: MessageView): Response {
  const { language } = view;
  const again: Detail = 'Wait a moment, then try again.';
  const next = advice[problem.code] ?? (problem.retryable ? again : undefined);
  const title = titles[problem.code];
  const page = messageResponse(problem.status, {
    title: title ? inLanguage(title, language) : problem.title,
    view,
    content: html`${title || problem.detail === problem.title ? '' : html`<p>${problem.detail}</p>`}
${next && html`<p>${inLanguage(next, language)}</p>`}
<p class="actions">${problem.retryable || view.startsAt ? html`<a href="${view.startsAt ?? ''}">${inLanguage('Try again', language)}</a>` : ''}${startLink(language)}</p>
<p class="facts">${problem.status} · <a href="${problem.type}">${problem.code}</a> · ${requestLine(view)}</p>`,
  });
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
