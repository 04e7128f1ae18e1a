/** Imported before a program (`node --import`): ends it with npm. */
import { endWithNpm } from './end-with-npm.mjs';

endWithNpm(() => process.kill(process.pid, 'SIGTERM'));
