import type { Config } from '@hookline/server'
import { Failure } from '../failure.ts'
import { listenFailure } from './listen-failure.ts'

/** Codes of backend errors whose messages are written for users. */
const CODES: Readonly<Record<string, string>> = {
  DataDirInUse: 'data_dir_in_use',
  AdminTokenCorrupted: 'admin_token_corrupted',
  BackendNotConfigured: 'backend_not_configured',
  BackendUnavailable: 'backend_unavailable',
  ClusterInUse: 'cluster_in_use',
  ClusterNotEmpty: 'cluster_not_empty',
  ConnectionRefused: 'connection_refused',
  CommitsMissing: 'commits_missing',
  ConfigurationCorrupted: 'configuration_corrupted',
  CorruptedDatabase: 'database_corrupted',
  EventTooLarge: 'event_too_large',
  TooFewOpenFiles: 'too_few_open_files',
  MoveDiffers: 'move_differs',
  MoveUnfinished: 'move_unfinished',
  IncompatibleNodesError: 'older_nodes_running',
  SchemaTooNew: 'schema_too_new',
  StreamMismatch: 'stream_mismatch',
  EncryptionKeyMismatch: 'encryption_key_mismatch',
  UnusableDatabase: 'unusable_database',
}

/** Returns `undefined` for a bug. */
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
    (isStorageError ? dataFolderFailure(error, config) : listenFailure(error, config))
  )
}

export function databaseFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !Object.hasOwn(CODES, error.name)) return undefined
  return new Failure('failed', error.message, { code: CODES[error.name]!, cause: error })
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'the path contains a file',
}

function dataFolderFailure(cause: Error, { dataDir }: Config): Failure {
  const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  return new Failure('failed', `Cannot use the data folder ${dataDir}: ${reason}.`, {
    cause,
    code: 'data_dir_unusable',
    hint: 'Check that it is a writable folder and that the disk is not full, or choose another with --data-dir.',
  })
}
