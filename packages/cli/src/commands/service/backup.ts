import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dataDirOf } from '../../api/admin-token.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure, writeFailure } from '../../failure.ts'
import { databaseFailure } from '../../service/start-failure.ts'
import type { ApiCommand } from '../api-command.ts'

interface BackupOptions {
  readonly dataDir?: string
  readonly stopped?: true
}

const KEY_NOTE =
  'Also back up the encryption key: the encryptionKey setting or, by default, the encryption-key file in the data folder. Without it, the secrets in the backup cannot be decrypted.'

export function addBackup(program: ApiCommand): void {
  program
    .api('backup <file>', 'back up the database')
    .option('--stopped', 'back up a stopped service from --data-dir')
    .run(async (context, file: string, { dataDir, stopped }: BackupOptions) => {
      const path = resolve(file)
      if (existsSync(path))
        throw new Failure('usage', `${path} already exists. Choose another name.`)
      if (stopped) await backUpFolder(dataDirOf(dataDir), path)
      else await download(context.api, path)
      const { size } = await stat(path)
      context.output.data({ file: path, bytes: size }, () => `Wrote ${path} (${size} bytes).`)
      context.output.note(KEY_NOTE)
    })
}

async function backUpFolder(dataDir: string, file: string): Promise<void> {
  const { backUpStopped } = await import('@hookline/server')
  await backUpStopped(dataDir, file).catch((error: unknown) => {
    throw databaseFailure(error) ?? writeFailure(file, error)
  })
}

/** Leaves no partial file behind if the connection breaks. */
async function download(api: ManagementApi, file: string): Promise<void> {
  const response = await api.stream('backup')
  const partial = `${file}.partial`
  try {
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(body, createWriteStream(partial, { mode: 0o600, flush: true }))
    const { size } = await stat(partial)
    if (size !== Number(response.headers.get('content-length')))
      throw new Error('the download is incomplete')
    await rename(partial, file)
    // Without this, a power failure could undo the rename.
    const { syncFolder } = await import('@hookline/server')
    await syncFolder(dirname(file))
  } catch (error) {
    throw writeFailure(file, error)
  } finally {
    await rm(partial, { force: true })
  }
}
