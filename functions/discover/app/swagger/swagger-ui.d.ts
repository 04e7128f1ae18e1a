/** Swagger UI as a module of CommonJS. The package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  import type { SwaggerUi } from './system.ts';

  const swaggerUi: SwaggerUi;
  export default swaggerUi;
}

declare module 'swagger-ui-dist/swagger-ui.css' {
  const text: string;
  export default text;
}
