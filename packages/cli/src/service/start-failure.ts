import type { Config } from '@hookline/server'
import { Failure } from '../failure.ts'
import { type Listener, listenFailure } from './listen-failure.ts'

/** Codes of backend errors whose messages are written for users. */
const CODES: Readonly<Record<string, string>> = {
  DataDirInUseError: 'data_dir_in_use',
  AdminTokenCorruptedError: 'admin_token_corrupted',
  BackendNotConfiguredError: 'backend_not_configured',
  BackendUnavailableError: 'backend_unavailable',
  ClusterInUseError: 'cluster_in_use',
  ClusterNotEmptyError: 'cluster_not_empty',
  UnusableServerError: 'server_unusable',
  MissingCommitsError: 'commits_missing',
  ConfigurationCorruptedError: 'configuration_corrupted',
  CorruptedDatabaseError: 'database_corrupted',
  EventTooLargeError: 'event_too_large',
  TooFewOpenFilesError: 'too_few_open_files',
  RowCountMismatchError: 'row_count_mismatch',
  MoveUnfinishedError: 'move_unfinished',
  IncompatibleNodesError: 'older_nodes_running',
  SchemaTooNewError: 'schema_too_new',
  StreamMismatchError: 'stream_mismatch',
  EncryptionKeyMismatchError: 'encryption_key_mismatch',
  UnusableDatabaseError: 'unusable_database',
}

/** Returns `undefined` if the error is a bug. */
export function startFailure(error: unknown, config: Config): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, path } = error as NodeJS.ErrnoException
  if (path !== undefined && path === config.tlsCaFile) {
    const hint = '--tls-ca-file must be a readable PEM file.'
    return new Failure('failed', `Cannot read ${path} (${code}).`, { hint })
  }
  const isStorageError = path !== undefined || code === 'ERR_SQLITE_ERROR'
  return (
    databaseFailure(error) ??
    (isStorageError
      ? dataFolderFailure(error, config)
      : listenFailure(error, listenerOf(error, config)))
  )
}

export function databaseFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !Object.hasOwn(CODES, error.name)) return undefined
  return new Failure('failed', error.message, { code: CODES[error.name]!, cause: error })
}

type ListenError = NodeJS.ErrnoException & {
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

/** The listener that failed: the main one, or the one on `adminPort`. */
function listenerOf(error: ListenError, { host, port, adminHost, adminPort }: Config): Listener {
  const main = { host, port }
  if (adminPort === undefined) return main
  const { port: failedPort, address, hostname } = error
  const isAdmin =
    failedPort === undefined || port === adminPort
      ? (address ?? hostname) === adminHost && adminHost !== host
      : failedPort === adminPort
  return isAdmin ? { host: adminHost, port: adminPort, flags: '--admin-' } : main
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'part of the path is a file, not a folder',
}

function dataFolderFailure(cause: Error, { dataDir }: Config): Failure {
  const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  return new Failure('failed', `Cannot use the data folder ${dataDir}: ${reason}.`, {
    cause,
    code: 'data_dir_unusable',
    hint: 'Check that it is a writable folder and that the disk is not full, or choose another with --data-dir.',
  })
}
