import { describePath } from './path.ts';
import { workersTarget } from './targets.ts';

describePath(workersTarget);
