import { z } from 'zod';
import { answersWithin } from '../../../db/repositories/liveness.ts';
import { Document } from '../../../shared/http/answer.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { endpoint } from '../deps.ts';

const patienceMs = 1_000;

export const livenessOperations = [
  endpoint(
    {
      id: 'liveness.get',
      route: 'GET /livez',
      access: 'public',
      unmetered: true,
      summary: 'Whether this node can serve, for load balancers',
      returns: [200, z.literal('ok')],
      mediaType: 'text/plain',
      errors: ['database_unavailable'],
    },
    async (ctx) => {
      if (!(await answersWithin(ctx.deps.db, patienceMs))) throw new AppError('database_unavailable');
      return new Document('ok', 'text/plain');
    },
  ),
];
