import { startFunctions } from '../../support/lambda/functions.ts';
import { adminPassword, describeFederation } from './flows.ts';

describeFederation('sign-in and provisioning by Lambda functions', () =>
  startFunctions(adminPassword, { ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8' }),
);
