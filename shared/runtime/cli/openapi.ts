import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createPortal, type PortalDeps } from '../../../functions/portal.ts';
import { documentOf } from '../../http/document.ts';

/** `npm run openapi`: writes the document of all modules to where it is committed. */
const folder = fileURLToPath(new URL('../../openapi/', import.meta.url));
// Modules keep what they depend on for requests, and none is made here.
const { modules } = createPortal({ portalType: 'universal' } as PortalDeps);
const document = documentOf(modules);
await mkdir(folder, { recursive: true });
await writeFile(`${folder}openapi.json`, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write(`shared/openapi/openapi.json: ${Object.keys(document.paths ?? {}).length} paths\n`);
