import type { Command } from 'commander'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SETTINGS } from '@hookline/server/settings'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output-of.ts'
import { databaseFailure } from '../../service/database-failure.ts'
import { writeFailure } from '../../output/write-failure.ts'

interface BackupOptions {
  readonly dataDir?: string
  readonly stopped?: true
}

const KEYS_STAY =
  'The files beside the database are not in it: keep encryption-key, without which its secrets cannot be read.'

/** `hookline backup` */
export function addBackup(program: Command): void {
  withApiOptions(program.command('backup <file>'))
    .description('copy the database while the service runs, or with --stopped from its folder')
    .option('--stopped', 'the service is not running: copy from --data-dir')
    .action(async (file: string, { dataDir, stopped }: BackupOptions, command: Command) => {
      const path = resolve(file)
      await refuseExisting(path)
      if (stopped) await backUpFolder(folderOf(dataDir), path)
      else await download(apiOf(command), path)
      const { size } = await stat(path)
      const output = outputOf(command)
      output.data({ file: path, bytes: size }, () => `Wrote ${path} (${size} bytes).`)
      output.note(KEYS_STAY)
    })
}

function folderOf(dataDir: string | undefined): string {
  return dataDir ?? process.env['HOOKLINE_DATA_DIR'] ?? SETTINGS.dataDir.default
}

async function refuseExisting(file: string): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Failure('usage', `${file} is there already: give another name.`)
}

async function backUpFolder(dataDir: string, file: string): Promise<void> {
  const { backUpStopped } = await import('@hookline/server')
  await backUpStopped(dataDir, file).catch((error: unknown) => {
    throw databaseFailure(error) ?? writeFailure(file, error)
  })
}

/** The file appears when it is whole: a connection that breaks leaves none. */
async function download(api: ManagementApi, file: string): Promise<void> {
  const answer = await api.stream('backup')
  const partial = `${file}.partial`
  try {
    const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(body, createWriteStream(partial, { mode: 0o600, flush: true }))
    const { size } = await stat(partial)
    if (size !== Number(answer.headers.get('content-length'))) throw new Error('it came in part')
    await rename(partial, file)
  } catch (error) {
    throw writeFailure(file, error)
  } finally {
    await rm(partial, { force: true })
  }
}
