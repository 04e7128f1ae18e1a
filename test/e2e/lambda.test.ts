import { describePath } from './path.ts';
import { lambdaTarget } from './targets.ts';

describePath(lambdaTarget);
