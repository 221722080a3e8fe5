import { readFileSync } from 'node:fs'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** `PRAGMA user_version` after the step. Numbered from 1 without gaps. */
  readonly version: number
  readonly sql: string
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: readFileSync(new URL('schema.sql', import.meta.url), 'utf8') },
]
