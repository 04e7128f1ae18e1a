import { hasPgbouncer } from '../support/pgbouncer.ts';
import { startPooledDatabase } from '../support/pooled-database.ts';
import { requireService } from '../support/services.ts';
import { describePath } from './path.ts';
import { nodeTarget } from './targets.ts';

requireService('pgbouncer', hasPgbouncer)('FLT-3: without a session of its own', () =>
  describePath({ ...nodeTarget, name: 'Node behind PgBouncer', database: startPooledDatabase }),
);
