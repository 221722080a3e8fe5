import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_NAME } from '../../../server/src/backend/embedded/database/data-dir.ts'

export function openDatabaseOfRunningService(
  dataDir: string,
  options: { readonly defensive?: boolean } = {},
): DatabaseSync {
  return new DatabaseSync(join(dataDir, DATABASE_NAME), { timeout: 10_000, ...options })
}
