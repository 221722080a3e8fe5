import { openDatabaseOfRunningService } from './running-database.ts'

/** Makes the database in this folder refuse audit entries from now on, even while a backend uses the file. */
export function failAuditWrites(dataDir: string): void {
  using database = openDatabaseOfRunningService(dataDir)
  database.exec(
    `CREATE TRIGGER no_audit BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no audit entries'); END`,
  )
}
