import { html } from 'hono/html';
import { z } from 'zod';
import { messageDocument } from '../../../shared/http/pages/message-page.ts';
import { Answer, Document } from '../../../shared/http/serve/answer.ts';
import { type ErrorCode, errorCodes, problemProperties } from '../../../shared/kernel/errors.ts';
import { endpoint } from '../deps.ts';
import { catalogue } from './catalogue.ts';

const ErrorEntry = z.strictObject({
  code: z.string().describe('Stable code of the problem.'),
  status: z.int().describe('HTTP status of the problem.'),
  title: z.string().describe('Short description of the problem.'),
  retryable: z.boolean().describe('True if the same request may succeed later.'),
  meaning: z.string().describe('Meaning of the code.'),
  cause: z.string().describe('Usual causes of the problem.'),
  remedy: z.string().describe('Remedies for the caller or the administrator.'),
});
type ErrorEntry = z.output<typeof ErrorEntry>;

const codes = Object.keys(errorCodes) as ErrorCode[];
/** The texts change only with the version of the portal. */
const headers = { 'cache-control': 'public, max-age=3600', vary: 'accept' };

export const errorOperations = [
  endpoint(
    {
      id: 'error.get',
      route: 'GET /api/errors/{code}',
      access: 'public',
      summary: 'Explain a problem code',
      description: 'The header `Accept` selects an HTML page or JSON.',
      params: z.object({ code: z.enum(codes).describe('Code of the problem, such as `not_found`.') }),
      returns: [200, ErrorEntry],
      alsoReturns: ['text/html'],
    },
    async (ctx, { params }) => {
      const entry = entryOf(params.code);
      if (!ctx.accepts('text/html')) return new Answer(entry, { headers });
      const { text, headers: ofPage } = messageDocument({
        title: entry.title,
        language: 'en',
        content: explanation(entry),
      });
      return new Document(text, 'text/html; charset=utf-8', { ...headers, ...ofPage });
    },
  ),
];

function entryOf(code: ErrorCode): ErrorEntry {
  const { status, title, retryable = false } = problemProperties(code);
  return { code, status, title, retryable, ...catalogue[code] };
}

const explanation = (
  entry: ErrorEntry,
) => html`<p><code>${entry.code}</code> · HTTP ${entry.status} · ${entry.retryable ? 'retrying may help' : 'retrying does not help'}</p>
<dl>
<dt>Meaning</dt><dd>${marked(entry.meaning)}</dd>
<dt>Cause</dt><dd>${marked(entry.cause)}</dd>
<dt>What to do</dt><dd>${marked(entry.remedy)}</dd>
</dl>`;

/** Backquotes in the texts mark code. */
const marked = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
