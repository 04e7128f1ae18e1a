import { digestsName } from '../../../shared/http/pages/assets.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';

const digests: Record<string, string> = JSON.parse(await ownAssets().text(digestsName));

/** The paths of the files that the reference loads: its script, then its styles. */
export const filesOfReference: readonly string[] = ['swagger-ui-bundle.js', 'swagger-ui.css'].map(
  (name) => `/api/docs/${digests[name]}/${name}`,
);
