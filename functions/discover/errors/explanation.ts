/** Meaning, usual cause and remedy of a problem code. */
export type Explanation = { meaning: string; cause: string; remedy: string };

export const explain = (meaning: string, cause: string, remedy: string): Explanation => ({
  meaning,
  cause,
  remedy,
});
