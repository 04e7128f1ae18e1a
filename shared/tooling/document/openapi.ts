import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createPortal, type PortalDeps } from '../../../functions/portal.ts';
import { documentOf } from '../../http/document/document.ts';
import { documentForms } from '../../http/document/text.ts';
import { clientOperationsOf } from '../build/client-types.ts';

/** `npm run openapi`: writes the OpenAPI document of all modules and the types of the client. */
const shared = fileURLToPath(new URL('../../', import.meta.url));
// Dependencies are only used by requests, and none is made here.
const { modules } = createPortal({ portalType: 'universal' } as PortalDeps);
const document = documentOf(modules);
await writeFile(`${shared}openapi/openapi.json`, `${documentForms.json(document, 2)}\n`);
await writeFile(`${shared}client/operations.ts`, clientOperationsOf(document));
process.stdout.write(`shared/openapi/openapi.json: ${Object.keys(document.paths ?? {}).length} paths\n`);
