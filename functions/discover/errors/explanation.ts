/** What a code means, what usually causes it, and what to do about it. */
export type Explanation = { meaning: string; cause: string; remedy: string };

export const explain = (meaning: string, cause: string, remedy: string): Explanation => ({
  meaning,
  cause,
  remedy,
});
