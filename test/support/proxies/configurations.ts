import { existsSync } from 'node:fs';
import { haproxy, haproxyWith, nginx, nginxWith, type Program } from './proxies.ts';

const apache = '/usr/sbin/apache2';

/** A configuration of a proxy that operators use, and what it does to tags and conditions. */
export type Configuration = {
  name: string;
  program: Program;
  isPresent: boolean;
  /** The tag of a compressed response with the tag `"1.x"`. */
  tag: RegExp;
  /** Reads never have conditions: the proxy removes them, because it may store the response. */
  dropsConditions?: true;
};

const unchanged = /^"\d+\.[\w-]+"$/;
const weak = /^W\/"\d+\.[\w-]+"$/;

const forwarded = `proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-Proto https;
    proxy_set_header X-Forwarded-For $remote_addr;`;

const nginxConfiguration = (
  directives: string,
  ofHttp?: string,
): Pick<Configuration, 'program' | 'isPresent'> => ({
  isPresent: existsSync(nginx),
  program: nginxWith(
    ({ to, patienceS }) => `${forwarded}
    proxy_read_timeout ${patienceS}s;
    ${directives}
    location / { proxy_pass http://127.0.0.1:${to}; }`,
    ofHttp,
  ),
});

const haproxyConfiguration = (lines?: string): Pick<Configuration, 'program' | 'isPresent'> => ({
  isPresent: existsSync(haproxy),
  program: haproxyWith(`option forwardfor
  http-request set-header X-Forwarded-Proto https
  ${lines ?? ''}`),
});

const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'deflate', 'filter', 'headers', 'ssl'];

/** Compresses everything that it may. */
const apacheProgram: Program = {
  path: apache,
  args: (config) => ['-f', config, '-DFOREGROUND'],
  configOf: (folder, { plain, secure }, { to, patienceS }) => `${modules
    .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
    .join('\n')}
ServerName localhost
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/errors
User www-data
Group www-data
Listen 127.0.0.1:${plain}
Listen 127.0.0.1:${secure}
ProxyTimeout ${patienceS}
ProxyPreserveHost On
ProxyPass / http://127.0.0.1:${to}/
RequestHeader set X-Forwarded-Proto https
SetOutputFilter DEFLATE
<VirtualHost 127.0.0.1:${secure}>
  SSLEngine on
  SSLCertificateFile ${folder}/server.pem
</VirtualHost>
`,
};

const compressed = 'gzip on; gzip_proxied any; gzip_types *;';

export const configurations: readonly Configuration[] = [
  { name: 'nginx with gzip', ...nginxConfiguration(compressed), tag: weak },
  {
    name: 'nginx with a shared cache',
    ...nginxConfiguration(
      'proxy_cache shared; proxy_cache_valid any 1m; add_header X-Cache $upstream_cache_status;',
      'proxy_cache_path $folder/cache keys_zone=shared:1m;',
    ),
    tag: unchanged,
    dropsConditions: true,
  },
  {
    name: 'nginx that buffers responses',
    ...nginxConfiguration('proxy_buffering on; proxy_buffers 16 64k;'),
    tag: unchanged,
  },
  {
    name: 'Apache with mod_deflate',
    program: apacheProgram,
    isPresent: existsSync(apache),
    tag: /^"\d+\.[\w-]+-gzip"$/,
  },
  {
    name: 'HAProxy with compression',
    ...haproxyConfiguration(
      'compression algo gzip\n  compression type application/json text/html text/javascript text/css',
    ),
    tag: weak,
  },
  { name: 'HAProxy from HTTP/2 to HTTP/1.1', ...haproxyConfiguration(), tag: unchanged },
];
