import {
  latestOf,
  type Migration,
  MIGRATIONS,
} from '../../../packages/server/src/backend/cluster/postgres/migrate.ts'

/** Adds a step that nodes of the previous version tolerate. */
export function addStep(sql: string): void {
  const worksFrom = latestOf(MIGRATIONS)
  ;(MIGRATIONS as Migration[]).push({ version: worksFrom + 1, sql, worksFrom })
}
