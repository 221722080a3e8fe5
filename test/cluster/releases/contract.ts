// The release after the next one: its step removes what nodes of the next one do not use, and those before it do.
import './expand.ts'
import { MIGRATIONS } from '../../../packages/server/src/backend/cluster/postgres/migrations/migrations.ts'
import { latestOf } from '../../../packages/server/src/backend/cluster/postgres/migrate.ts'

const version = latestOf(MIGRATIONS)
;(MIGRATIONS as { version: number; sql: string; worksFrom?: number }[]).push({
  version: version + 1,
  sql: 'DROP TABLE added',
  worksFrom: version,
})
