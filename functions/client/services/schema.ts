import { z } from 'zod';
import { explainQuery, explainsNobody, explainsWhom } from '../../../shared/routing/explaining.ts';

export const ServicesQuery = z.strictObject(explainQuery).refine(explainsWhom, explainsNobody);
