import { Failure } from '../failure.ts'

const CODES: Readonly<Record<string, string>> = {
  DataDirInUse: 'data_dir_in_use',
  UnusableDatabase: 'unusable_database',
}

/** The failure for an error of the backend whose message is the whole explanation. */
export function databaseFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !Object.hasOwn(CODES, error.name)) return undefined
  return new Failure('failed', error.message, { code: CODES[error.name]!, cause: error })
}
