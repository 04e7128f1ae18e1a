import { hasPgbouncer } from '../support/database/pgbouncer.ts';
import { startPooledDatabase } from '../support/database/pooled-database.ts';
import { requireService } from '../support/services.ts';
import { describePath } from './paths/path.ts';
import { nodeTarget } from './twins/targets.ts';

requireService('pgbouncer', hasPgbouncer)('a portal without a database session of its own', () =>
  describePath({ ...nodeTarget, name: 'Node behind PgBouncer', database: startPooledDatabase }),
);
