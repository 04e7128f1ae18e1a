import { awslambda, eventOf, invoke } from '../../support/lambda/runtime.ts';

/** An instance of a function: loads the bundle and invokes it once, as Lambda's runtime does. */
const [file = '', route = ''] = process.argv.slice(2);
Object.assign(globalThis, { awslambda });

const started = performance.now();
const { handler } = await import(`file://${file}`);
const loaded = performance.now();
const { statusCode } = await invoke(handler, eventOf(route));
const answered = performance.now();
if (statusCode !== 401 && statusCode !== 403) throw new Error(`${route} was answered ${statusCode}, not 401`);
console.log(JSON.stringify({ import_ms: loaded - started, first_ms: answered - loaded }));
