import type { Config, Service } from '@hookline/server'
import { Failure } from '../failure.ts'
import { listenFailure } from './listen-failure.ts'
import type { ServiceLogger } from './service-logger.ts'

/** Opens the service. @throws {Failure} that says in a sentence why it cannot start, and the remedy */
export async function openOrExplain(config: Config, logger: ServiceLogger): Promise<Service> {
  // Loaded here only: the commands that run no service start five times as fast without it.
  const { openService } = await import('@hookline/server')
  try {
    return await openService({ config, logger })
  } catch (error) {
    throw startFailure(error, config) ?? error
  }
}

/** Errors of the backend whose message is the whole explanation. */
const EXPLAIN_THEMSELVES: Readonly<Record<string, string>> = {
  DataDirInUse: 'data_dir_in_use',
  SchemaTooNew: 'schema_too_new',
  EncryptionKeyMismatch: 'encryption_key_mismatch',
  UnusableDatabase: 'unusable_database',
}

/** Why the service, or its database, cannot be opened; `undefined` for a defect. */
export function startFailure(error: unknown, config: Config): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { name, message, code, path } = error as NodeJS.ErrnoException
  const own = EXPLAIN_THEMSELVES[name]
  if (own !== undefined) return new Failure('failed', message, { code: own, cause: error })
  if (path !== undefined && path === config.tlsCaFile) {
    const hint = 'Give --tls-ca-file the path of a PEM file that this user may read.'
    return new Failure('failed', `The file ${path} cannot be read (${code}).`, { hint })
  }
  if (path !== undefined || code === 'ERR_SQLITE_ERROR') return dataFolderFailure(error, config)
  return listenFailure(error, config)
}

function dataFolderFailure(cause: Error, { dataDir }: Config): Failure {
  return new Failure('failed', `The data folder ${dataDir} cannot be used: ${cause.message}.`, {
    cause,
    code: 'data_dir_unusable',
    hint: 'Check that it is a folder this user may write and the disk has room, or give another with --data-dir.',
  })
}
