// The release after this one: a node that loads this file first knows a step of the schema that only adds.
import { MIGRATIONS } from '../../../packages/server/src/backend/cluster/postgres/migrations/migrations.ts'
import { latestOf } from '../../../packages/server/src/backend/cluster/postgres/migrate.ts'

const version = latestOf(MIGRATIONS)
;(MIGRATIONS as { version: number; sql: string; worksFrom?: number }[]).push({
  version: version + 1,
  sql: 'ALTER TABLE deliveries ADD note text; CREATE TABLE added (id txt PRIMARY KEY)',
  worksFrom: version,
})
