const name = 'dismissed-maintenance';
const most = 50;

/** Keys of announcements that the user has dismissed in this browser. */
export function dismissedKeys(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? '[]');
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}

/** @returns all dismissed keys, of which the browser stores the last ones if it can */
export function dismiss(key: string): string[] {
  const keys = [...dismissedKeys().filter((other) => other !== key), key].slice(-most);
  try {
    localStorage.setItem(name, JSON.stringify(keys));
  } catch {
    // The announcement then appears again on the next page.
  }
  return keys;
}
