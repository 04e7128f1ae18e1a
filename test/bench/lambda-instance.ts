/** A function's instance: loads the bundle and asks it once, with an event of an HTTP API (format 2.0). */
const [file = '', route = ''] = process.argv.slice(2);
const [method, rawPath] = route.split(' ');
const event = {
  version: '2.0',
  routeKey: '$default',
  rawPath,
  rawQueryString: '',
  headers: { host: 'bench.test' },
  requestContext: {
    domainName: 'bench.test',
    stage: '$default',
    http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '198.51.100.7', userAgent: 'bench' },
  },
  isBase64Encoded: false,
};

const started = performance.now();
const { handler } = await import(`file://${file}`);
const loaded = performance.now();
const { statusCode } = await handler(event, {});
const answered = performance.now();
if (statusCode !== 401) throw new Error(`${route} was answered ${statusCode}, not 401`);
console.log(JSON.stringify({ import_ms: loaded - started, first_ms: answered - loaded }));
