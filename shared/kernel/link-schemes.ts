/**
 * Link schemes that no setting can allow: they execute code, read local files, are unencrypted, or belong to handlers of operating
 * systems and browsers that attackers have used.
 */
export const forbiddenSchemes: readonly string[] = [
  ...[
    'javascript',
    'data',
    'file',
    'vbscript',
    'blob',
    'http',
    'ftp',
    'about',
    'filesystem',
    'view-source',
    'jar',
  ],
  ...[
    'ms-msdt',
    'search',
    'search-ms',
    'ms-search',
    'ms-officecmd',
    'ms-appinstaller',
    'ms-its',
    'its',
    'mk',
    'res',
  ],
  ...[
    'ms-cxh',
    'ms-cxh-full',
    'shell',
    'smb',
    'nfs',
    'afp',
    'intent',
    'android-app',
    'chrome',
    'resource',
    'wsh',
  ],
];
/** Link schemes of programs that show workplaces. Others may do anything with a link, so a person confirms them. */
export const viewerSchemes: readonly string[] = [
  ...['https', 'udss', 'udssv2', 'uds', 'rdp', 'ms-rd', 'spice', 'vnc', 'x2go', 'teradici'],
];

const scheme = `(?!(?:${forbiddenSchemes.join('|')})(?:,|$))[a-z][a-z0-9+.-]{0,31}`;

/** A list of schemes, separated by commas, without those that no setting can allow. */
export const schemeList = new RegExp(`^(?:${scheme}(?:,${scheme})*)?$`);
