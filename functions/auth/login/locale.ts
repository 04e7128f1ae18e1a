import type { BaseDeps } from '../../../shared/context/context.ts';
import type { Operation } from '../../../shared/http/declare/operation.ts';
import { languageOf } from '../../../shared/messages/languages.ts';

/** Makes the operation respond in the language that the field `locale` of its body selects. */
export const inLocaleOfBody = <D extends BaseDeps>(operation: Operation<D>): Operation<D> => ({
  ...operation,
  run: (ctx, raw) => {
    const { locale } = raw.body ?? {};
    if (typeof locale === 'string') ctx.language = languageOf(locale) ?? ctx.language;
    return operation.run(ctx, raw);
  },
});
