import { z } from 'zod';
import {
  explainQuery,
  isExplainQueryValid,
  userIdWithoutExplain,
} from '../../../shared/routing/explain-query.ts';

export const ServicesQuery = z.strictObject(explainQuery).refine(isExplainQueryValid, userIdWithoutExplain);
