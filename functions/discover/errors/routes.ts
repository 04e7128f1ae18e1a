import { z } from 'zod';
import { messageBranding } from '../../../shared/http/pages/read-branding.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { type ErrorCode, errorCodes } from '../../../shared/kernel/errors.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { endpoint } from '../deps.ts';
import { ErrorEntry, entryOf } from './entry.ts';
import { explanationPage } from './page.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

export const errorOperations = [
  endpoint(
    {
      id: 'error.get',
      route: 'GET /api/errors/{code}',
      access: 'public',
      summary: 'Explain a problem code',
      description: 'The header `Accept` selects an HTML page or JSON.',
      params: z.object({ code: z.enum(codes).describe('Code of the problem, such as `not_found`.') }),
      query: z.strictObject({
        language: z
          .enum(languages)
          .optional()
          .describe('Language of the explanation: `en` or `ru`. Default: that of `Accept-Language`.'),
      }),
      returns: [200, ErrorEntry],
      alsoReturns: ['text/html'],
    },
    async (ctx, { params, query }) => {
      const language = query.language ?? ctx.language;
      const entry = entryOf(params.code, language);
      // The texts change only with the version of the portal.
      const headers = {
        'cache-control': 'public, max-age=3600',
        'content-language': language,
        vary: 'accept, accept-language',
      };
      if (!ctx.accepts('text/html')) return new Answer(entry, { headers });
      const branding = await messageBranding(ctx.deps);
      return explanationPage(entry, { language, branding, requestId: ctx.requestId }, headers);
    },
  ),
];
