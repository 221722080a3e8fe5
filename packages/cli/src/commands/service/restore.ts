import { SETTINGS } from '@hookline/server/settings'
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { outputOf } from '../../output/output-of.ts'
import { databaseFailure } from '../../service/database-failure.ts'
import { writeFailure } from '../../output/write-failure.ts'

interface RestoreOptions {
  readonly dataDir?: string
  readonly replace?: true
}

/** `hookline restore` */
export function addRestore(program: Command): void {
  program
    .command('restore <file>')
    .description('put a backup into a data folder, while no service runs on it')
    .option('--data-dir <folder>', 'the data folder; made where it is missing')
    .option('--replace', 'keep a database that is there beside the restored one')
    .action(async (file: string, options: RestoreOptions, command: Command) => {
      const dataDir =
        options.dataDir ?? process.env['HOOKLINE_DATA_DIR'] ?? SETTINGS.dataDir.default
      const { restoreInto } = await import('@hookline/server')
      const replace = options.replace ?? false
      const kept = await restoreInto(dataDir, resolve(file), { replace }).catch(
        (error: unknown) => {
          throw databaseFailure(error) ?? writeFailure(dataDir, error)
        },
      )
      const output = outputOf(command)
      output.data({ dataDir, keptBefore: kept ?? null }, () => `Restored into ${dataDir}.`)
      if (kept !== undefined) output.note(`The database of before is kept in ${kept}.`)
      output.note(`Put encryption-key of the service that was backed up into ${dataDir}, too.`)
    })
}
