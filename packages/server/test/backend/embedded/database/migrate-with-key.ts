import type { DatabaseSync } from 'node:sqlite'
import { addSealing } from '../../../../src/backend/embedded/catalog/seal-catalog.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'

/** Brings a database without deliveries to the latest schema, as a start of the service does. */
export function migrateWithKey(db: DatabaseSync, file: string): void {
  addSealing(db, newSecretBox())
  migrate(db, file, MIGRATIONS)
}
