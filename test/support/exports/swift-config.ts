export type Ports = { account: number; container: number; object: number; proxy: number };
type SwiftOptions = {
  folder: string;
  ports: Ports;
  user: { account: string; name: string; secret: string };
  /** Of the processes. */
  owner: string;
};

/** Configuration files by name: of one device, without replicas and background processes. */
export const swiftFiles = ({ folder, ports, user, owner }: SwiftOptions): Record<string, string> => {
  const common = (port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${owner}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_level = ERROR
# A machine that is busy makes nobody give up, nor leave lists for later.
conn_timeout = 30
node_timeout = 60
container_update_timeout = 60
`;
  const storage = (name: 'account' | 'container' | 'object') => `${common(ports[name])}
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
  return {
    'swift.conf': `[swift-hash]
swift_hash_path_prefix = of
swift_hash_path_suffix = tests
[storage-policy:0]
name = only
default = yes
`,
    'account-server.conf': storage('account'),
    'container-server.conf': storage('container'),
    'object-server.conf': storage('object'),
    'proxy-server.conf': `${common(ports.proxy)}
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth copy slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 30
node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
# Nobody listens there; tempauth demands that there is one, and needs it for tokens only.
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_${user.account}_${user.name} = ${user.secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
`,
  };
};

/** Creates the three rings, each of one device: folder and ports. */
export const ringsScript = `
import sys
from os.path import join
from swift.common.ring import RingBuilder
folder, *ports = sys.argv[1:]
for name, port in zip(('account', 'container', 'object'), ports):
    builder = RingBuilder(1, 1, 1)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1',
                     'replication_ip': '127.0.0.1', 'replication_port': int(port), 'weight': 1.0, 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(join(folder, name + '.ring.gz'))
`;

/** Runs a server like its program, but with a separate swift.conf: its file, the program, the server's own file. */
export const serverScript = `
import sys, runpy
import swift.common.utils as utils
utils.SWIFT_CONF_FILE, program, *rest = sys.argv[1:]
utils.HASH_PATH_PREFIX = utils.HASH_PATH_SUFFIX = b''
sys.argv = [program, *rest]
runpy.run_path(program, run_name='__main__')
`;
