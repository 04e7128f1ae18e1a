import { base, endpoint } from '../deps.ts';
import { Certificates, mostObjects } from './schema.ts';
import { listCertificates } from './usecases.ts';

export const certificateOperations = [
  endpoint(
    {
      id: 'certificate.listAll',
      route: `GET ${base}/certificates`,
      access: 'signed-in',
      summary: 'List the certificates of nodes, domains, peers and webhooks',
      description: `The certificates that nodes presented to the last probe, and the authorities that are trusted for nodes, domains, peers and webhooks. The response contains the objects that the caller may read, up to ${mostObjects} of each type. Private keys are never returned.`,
      mayLag: true,
      returns: [200, Certificates],
      errors: ['forbidden'],
    },
    listCertificates,
  ),
];
