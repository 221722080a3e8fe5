import type { Command } from 'commander'
import { statSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { dataDirOf } from '../../api/admin-token.ts'
import { writeFailure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import { formatCount } from '../../output/figures.ts'
import { outputOf } from '../../output/output.ts'
import { databaseFailure } from '../../service/start-failure.ts'
import type { ApiCommand } from '../api-command.ts'

interface RestoreOptions {
  readonly dataDir?: string
  readonly replace?: true
}

export function addRestore(program: ApiCommand): void {
  program
    .command('restore <file>')
    .description('restore a backup into a data folder')
    .confirmed('--replace')
    .option('--data-dir <folder>', 'data folder of a stopped service; created if missing')
    .option(
      '--replace',
      'replace an existing database, and keep the old one as hookline.db.before-restore',
    )
    .action(async (file: string, options: RestoreOptions, command: Command) => {
      const dataDir = dataDirOf(options.dataDir)
      const { restoreInto } = await import('@hookline/server')
      const replace = options.replace ?? false
      const current = statSync(join(dataDir, 'hookline.db'), { throwIfNoEntry: false })
      if (replace && current) await confirm(command, () => replaceEffect(dataDir, current))
      const kept = await restoreInto(dataDir, resolve(file), { replace }).catch(
        (error: unknown) => {
          throw databaseFailure(error) ?? writeFailure(dataDir, error)
        },
      )
      const output = outputOf(command)
      output.data(
        { dataDir, previousDatabase: kept ?? null },
        () => `Restored the backup into ${dataDir}.`,
      )
      if (kept !== undefined) output.note(`The previous database is now ${kept}.`)
      output.note(
        `The service needs the original encryption key: use the same encryptionKey setting or, by default, copy the encryption-key file into ${dataDir}.`,
      )
    })
}

function replaceEffect(dataDir: string, { size, mtime }: Stats): string {
  return `This replaces the database in ${dataDir} (${formatCount(size)} bytes, last changed at ${mtime.toISOString()}). The old one is kept as hookline.db.before-restore.`
}
