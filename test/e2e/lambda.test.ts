import { describePath } from './paths/path.ts';
import { lambdaTarget } from './twins/targets.ts';

describePath(lambdaTarget);
