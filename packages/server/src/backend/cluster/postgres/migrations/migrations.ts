import { readFileSync } from 'node:fs'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** In their order, from 1. */
  readonly version: number
  readonly sql: string
  /**
   * The version of the schema whose nodes run on this one as well. Without it, none but those that know this step. A step that
   * only adds what others need not write names the version before it. What nobody uses any more is removed by a step of a later
   * release, which then names the version that stopped to use it.
   */
  readonly worksFrom?: number
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: readFileSync(new URL('schema.sql', import.meta.url), 'utf8') },
]
