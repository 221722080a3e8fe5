/** What every message says in `context.library`. A test holds the version to package.json. */
export const LIBRARY = { name: '@hookline/client', version: '0.1.0' } as const
