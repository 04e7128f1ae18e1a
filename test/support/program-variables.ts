/**
 * What a program of ours that a test starts gets from the environment of the tests: where programs are found, and
 * where Node keeps compiled modules, without which each start compiles hundreds of them again.
 */
export const programVariables = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
