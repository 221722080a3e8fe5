import type { Command } from 'commander'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dataDirOf } from '../../api/admin-token.ts'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure, writeFailure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'
import { databaseFailure } from '../../service/start-failure.ts'

interface BackupOptions {
  readonly dataDir?: string
  readonly stopped?: true
}

const KEY_NOTE =
  'The backup does not contain the file encryption-key of the data folder. Back it up too: the secrets in the database cannot be read without it.'

/** `hookline backup` */
export function addBackup(program: Command): void {
  withApiOptions(program.command('backup <file>'))
    .description('back up the database of the running service, or with --stopped of a stopped one')
    .option('--stopped', 'the service is stopped: copy the database in --data-dir')
    .action(async (file: string, { dataDir, stopped }: BackupOptions, command: Command) => {
      const path = resolve(file)
      await refuseExisting(path)
      if (stopped) await backUpFolder(dataDirOf(dataDir), path)
      else await download(apiOf(command), path)
      const { size } = await stat(path)
      const output = outputOf(command)
      output.data({ file: path, bytes: size }, () => `Wrote ${path} (${size} bytes).`)
      output.note(KEY_NOTE)
    })
}

async function refuseExisting(file: string): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Failure('usage', `${file} already exists. Give another name.`)
}

async function backUpFolder(dataDir: string, file: string): Promise<void> {
  const { backUpStopped } = await import('@hookline/server')
  await backUpStopped(dataDir, file).catch((error: unknown) => {
    throw databaseFailure(error) ?? writeFailure(file, error)
  })
}

/** Writes the file only when the download is complete: a broken connection leaves no file. */
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
    // After a power cut, the folder still has the new name.
    const { syncFolder } = await import('@hookline/server')
    await syncFolder(dirname(file))
  } catch (error) {
    throw writeFailure(file, error)
  } finally {
    await rm(partial, { force: true })
  }
}
