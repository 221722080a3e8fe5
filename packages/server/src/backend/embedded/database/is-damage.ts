/** CORRUPT and NOTADB (sqlite.org/rescode.html): bytes of the file are not what SQLite has written. */
const CODES: ReadonlySet<number> = new Set([11, 26])
/** IOERR_SHORT_READ: a page is beyond the end of the file. */
const SHORT_READ = 522
const MESSAGE = /database disk image is malformed|file is not a database|malformed database schema/

/** Whether SQLite has found that the file is damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode } = error as Error & { errcode?: number }
  // An error that comes from a thread has its message only.
  const isOfFile = errcode !== undefined && (CODES.has(errcode & 0xff) || errcode === SHORT_READ)
  return isOfFile || MESSAGE.test(error.message)
}

/** What SQLite says where a statement of ours does not fit to the schema: a table, a column or a trigger is damaged. */
const OF_SCHEMA =
  /no such (?:table|column|index|function)|syntax error|has no column named|unrecognized token/

/** Whether an error while the database is opened says that its schema is damaged. */
export function isDamageOfSchema(error: unknown): boolean {
  return error instanceof Error && OF_SCHEMA.test(error.message)
}
