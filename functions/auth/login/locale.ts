import type { BaseDeps } from '../../../shared/context/context.ts';
import type { Operation } from '../../../shared/http/declare/operation.ts';
import { languageOf } from '../../../shared/messages/languages.ts';

/** The operation, whose answers and refusals are in the language that the member `locale` of its body names. */
export const inLocaleOfBody = <D extends BaseDeps>(operation: Operation<D>): Operation<D> => ({
  ...operation,
  run: (ctx, raw) => {
    const { locale } = raw.body ?? {};
    if (typeof locale === 'string') ctx.language = languageOf(locale) ?? ctx.language;
    return operation.run(ctx, raw);
  },
});
