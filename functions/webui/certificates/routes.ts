import { base, endpoint } from '../deps.ts';
import { Certificates, mostNodes } from './schema.ts';
import { listCertificates } from './usecases.ts';

export const certificateOperations = [
  endpoint(
    {
      id: 'certificate.listOfNodes',
      route: `GET ${base}/certificates`,
      access: 'dispatchers.read',
      summary: 'List the certificates of dispatcher nodes',
      description: `The certificates that nodes presented to the last probe, and the authorities that are trusted for them, of up to ${mostNodes} nodes within the scope of the caller.`,
      mayLag: true,
      returns: [200, Certificates],
    },
    listCertificates,
  ),
];
