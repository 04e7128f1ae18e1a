import { describePath } from './paths/path.ts';
import { workersTarget } from './twins/targets.ts';

describePath(workersTarget);
