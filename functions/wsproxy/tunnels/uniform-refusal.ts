import type { BaseDeps } from '../../../shared/context/context.ts';
import type { Operation } from '../../../shared/http/declare/operation.ts';
import { AppError, problemProperties } from '../../../shared/kernel/errors.ts';

/**
 * Wraps an operation so that every rejected request returns `forbidden`. A caller that tries values does not learn
 * which of them was wrong.
 */
export const withUniformRefusal = <D extends BaseDeps>(operation: Operation<D>): Operation<D> => ({
  ...operation,
  errors: ['forbidden', ...(operation.errors ?? [])],
  exceptErrors: ['invalid_request', 'not_found'],
  run: async (ctx, raw) => {
    try {
      return await operation.run(ctx, raw);
    } catch (error) {
      if (!(error instanceof AppError) || problemProperties(error.code).status >= 500) throw error;
      throw new AppError('forbidden', undefined, {}, { cause: error });
    }
  },
});
