/**
 * The names of secrets among the settings of domains, as a POSIX regular expression. Such members are stored sealed and never
 * returned, whatever the type of the domain.
 */
export const secretPattern = '_(password|secret)$';
