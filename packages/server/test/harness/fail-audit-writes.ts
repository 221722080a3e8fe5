import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_NAME } from '../../src/backend/embedded/database/data-dir.ts'

/** Makes the database in this folder refuse every audit entry from now on, also while a backend has it open. */
export function failAuditWrites(dataDir: string): void {
  using database = new DatabaseSync(join(dataDir, DATABASE_NAME))
  database.exec(
    `CREATE TRIGGER no_audit BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no audit entries'); END`,
  )
}
