import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' };
import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { codeSamples } from './code-samples.ts';
import { curlCommand } from './curl.ts';
import { nameAllFields } from './fields.ts';
import { closedGuide } from './guide.ts';
import { filterOperations, groupedTag, plainName, realFirst } from './operations.ts';
import { resolveSubtree } from './references.ts';
import type { System } from './system.ts';
import { asUser, placeholder } from './token.ts';

const hidden = () => () => null;

/** No authorization dialog: readers of the page are signed in. */
const plugin = () => ({
  wrapComponents: {
    authorizeBtn: hidden,
    authorizeOperationBtn: hidden,
    InfoContainer: closedGuide,
    curl: (_: unknown, system: System) => curlCommand(system),
    OperationTag: groupedTag,
    DeepLink: plainName,
    OperationExt: (_: unknown, system: System) => codeSamples(system),
    ResponseExtension: hidden,
    responses: realFirst,
  },
  fn: { opsFilter: filterOperations, resolveSubtree },
});

/** The style of Swagger UI. The style of the page adjusts it with selectors that are more specific. */
async function addStyle(): Promise<void> {
  const sheet = new CSSStyleSheet();
  await sheet.replace(style);
  document.adoptedStyleSheets.push(sheet);
}

/**
 * Shows an OpenAPI document with Swagger UI, which calls the API as the user.
 * @returns when the operations are shown
 */
export async function showReference(place: HTMLElement, spec: object): Promise<void> {
  await addStyle();
  nameAllFields(place);
  const { promise, resolve } = Promise.withResolvers<void>();
  const ui = swaggerUi({
    spec,
    domNode: place,
    presets: [swaggerUi.presets.apis],
    plugins: [plugin],
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    showExtensions: true,
    syntaxHighlight: { activated: false },
    validatorUrl: null,
    showMutatedRequest: false,
    requestInterceptor: asUser,
    onComplete: resolve,
  });
  await promise;
  ui.preauthorizeApiKey('SessionToken', placeholder);
}
