declare module 'pg/lib/utils.js' {
  const utils: {
    /** Returns a value in the form that the server receives. @throws Error for a value that cannot be encoded */
    prepareValue: (value: unknown) => string | Buffer | null;
  };
  export default utils;
}
