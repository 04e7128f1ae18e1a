import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { monitorWrites } from '../../shared/runtime/write-monitor.ts';
import { createDiscover } from './app.ts';
import { discoverDeps } from './deps.ts';

export default workerOf({ create: createDiscover, depsOf: discoverDeps, monitorWrites });
