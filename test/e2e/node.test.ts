import { describePath } from './path.ts';
import { nodeTarget } from './targets.ts';

describePath(nodeTarget);
