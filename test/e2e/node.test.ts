import { describePath } from './paths/path.ts';
import { nodeTarget } from './twins/targets.ts';

describePath(nodeTarget);
