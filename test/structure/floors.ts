/** Where a file stands: a higher floor may use lower ones, rooms of one floor do not use each other. */
export type Place = { floor: number; room: string };

type Row = { floor: number; path: RegExp; room: string };

/** The first match applies; `$1` and `$2` in a room are the groups of its path. */
const plan: readonly Row[] = [
  { floor: -1, room: 'modules', path: /^shared\/(?:modules\.ts|resources\.ts|openapi\/)/ },
  { floor: -1, room: 'messages', path: /^shared\/messages\// },
  { floor: 0, room: 'kernel', path: /^shared\/kernel\// },
  // The table of kinds is data for every layer, the database included.
  { floor: 0, room: 'kernel', path: /^shared\/remotes\/dispatcher\/capabilities\.ts$/ },
  // Code that runs elsewhere depends only on the document of the portal.
  { floor: 0, room: 'client', path: /^shared\/client\// },
  // Code of browsers: parts of all pages, and the pages themselves.
  { floor: 0.1, room: 'web', path: /^shared\/web\// },
  { floor: 0.2, room: '$1 app', path: /^functions\/([^/]+)\/app\// },
  // The public shapes of data: field builders, lists, views and their errors.
  { floor: 1, room: 'shapes', path: /^shared\/shapes\// },
  {
    floor: 1,
    room: 'db',
    path: /^db\/(?:schema\/|postgres\/|migrator\/|replica\/|(?:client|errors|flight|flight-driver|leased-frame|prebuilt|row-mapper|pg|neon|migrate|privileges|roles|drizzle\.config)\.ts)/,
  },
  { floor: 2, room: 'repositories', path: /^db\/repositories\// },
  { floor: 2, room: 'remotes', path: /^shared\/remotes\// },
  {
    floor: 8,
    room: 'process',
    path: /^(?:functions\/(?:all|portal|health\/main)\.ts|shared\/tooling\/)/,
  },
  { floor: 2.5, room: 'context', path: /^shared\/context\// },
  { floor: 3, room: 'access', path: /^shared\/access\// },
  { floor: 4, room: '$1', path: /^shared\/(identity|audit|exports|sites|gateways|portals|changes)\// },
  { floor: 4.1, room: '$1', path: /^shared\/(snapshot|routing|webhooks)\// },
  { floor: 4.2, room: '$1', path: /^shared\/(agents|maintenance|services)\// },
  // HTTP is one way to call the areas, which do not depend on it.
  { floor: 4.3, room: 'http', path: /^shared\/http\// },
  { floor: 4.4, room: 'runtime', path: /^shared\/runtime\// },
  { floor: 7, room: '$1', path: /^functions\/([^/]+)\/(?:app|worker|lambda)\.ts$/ },
  // The shared part below the resources of a module: its dependencies, and code of two of them.
  { floor: 4.5, room: 'module $1', path: /^functions\/([^/]+)\/[^/]+$/ },
  { floor: 6, room: '$1/$2', path: /^functions\/([^/]+)\/([^/]+)\/routes\.ts$/ },
  { floor: 5, room: '$1/$2', path: /^functions\/([^/]+)\/([^/]+)\/.+$/ },
];

/** @returns undefined for a file that stands on no floor */
export function placeOf(path: string): Place | undefined {
  for (const { floor, room, path: pattern } of plan) {
    const match = pattern.exec(path);
    if (match) return { floor, room: room.replace(/\$(\d)/g, (_, group) => match[Number(group)] ?? '') };
  }
  return undefined;
}

/** The stairs rule: down, skipping floors at will, or within the own room. */
export function mayUse(from: Place, to: Place): boolean {
  if (from.floor !== to.floor) return to.floor < from.floor;
  return from.room === to.room;
}

/** Code that only browsers run. */
export const isForBrowsers = (path: string): boolean =>
  /^(?:shared\/web|functions\/(?:assets|[^/]+\/app))\//.test(path);

/** Only an entry point of a process combines modules. */
export const isJoint = (path: string): boolean => placeOf(path)?.room === 'process';

export const moduleOf = (path: string): string | undefined => /^functions\/([^/]+)\/./.exec(path)?.[1];

export const resourceOf = (path: string): string | undefined =>
  /^functions\/([^/]+\/[^/]+)\/./.exec(path)?.[1];
