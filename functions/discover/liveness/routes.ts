import { z } from 'zod';
import { Answer, Document } from '../../../shared/http/serve/answer.ts';
import { areDescriptorsScarce } from '../../../shared/kernel/observability/descriptors.ts';
import { type DiscoverDeps, endpoint } from '../deps.ts';

export const livenessOperations = [
  endpoint(
    {
      id: 'liveness.get',
      route: 'GET /livez',
      access: 'public',
      rateLimit: 'none',
      summary: 'Check that the process answers',
      description:
        'For supervisors that restart failed processes. The check does not depend on the database.',
      returns: [200, z.literal('ok')],
      mediaType: 'text/plain',
    },
    () => new Document('ok', 'text/plain'),
  ),
  endpoint(
    {
      id: 'readiness.get',
      route: 'GET /readyz',
      access: 'public',
      rateLimit: 'none',
      summary: 'Check that the process can serve writes',
      description:
        'For load balancers. The status is 503 while the database does not accept writes or at least 90 % of the file descriptors are in use.',
      returns: [200, null],
      orReturns: [503, null],
      exceptErrors: ['database_unavailable', 'overloaded'],
    },
    async ({ deps }) => ((await isReady(deps)) ? undefined : new Answer(null, { status: 503 })),
  ),
];

async function isReady({ writes, readDescriptors }: DiscoverDeps): Promise<boolean> {
  const [acceptsWrites, descriptors] = await Promise.all([writes.acceptsWrites(), readDescriptors?.()]);
  return acceptsWrites && !(descriptors && areDescriptorsScarce(descriptors));
}
