import { startGuardedWorkers } from '../../support/workers/guarded-workers.ts';
import { adminPassword, describeFederation } from './flows.ts';

describeFederation('sign-in and provisioning on Workers', () => startGuardedWorkers(adminPassword));
