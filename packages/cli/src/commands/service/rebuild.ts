import type { Command } from 'commander'
import { resolve } from 'node:path'
import { dataDirOf } from '../../api/admin-token.ts'
import { writeFailure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import { outputOf } from '../../output/output.ts'
import { databaseFailure } from '../../service/start-failure.ts'
import type { ApiCommand } from '../api-command.ts'

interface RebuildOptions {
  readonly dataDir?: string
  readonly from?: string
}

export function addRebuild(program: ApiCommand): void {
  program
    .command('rebuild')
    .description('rebuild a corrupted database from its readable rows')
    .confirmed()
    .option('--data-dir <folder>', 'data folder of a stopped service')
    .option(
      '--from <file>',
      'read the rows from this file instead of the database in the data folder',
    )
    .action(async (options: RebuildOptions, command: Command) => {
      const dataDir = dataDirOf(options.dataDir)
      await confirm(
        command,
        () =>
          `This replaces the database in ${dataDir}. The old one is kept as hookline.db.corrupted.`,
      )
      const { rebuildInto } = await import('@hookline/server')
      const from = options.from === undefined ? undefined : resolve(options.from)
      const { previous, missing } = await rebuildInto(dataDir, from).catch((error: unknown) => {
        throw databaseFailure(error) ?? writeFailure(dataDir, error)
      })
      const output = outputOf(command)
      output.data({ dataDir, previousDatabase: previous ?? null, lost: missing }, () =>
        missing.join('\n'),
      )
      if (previous !== undefined) output.note(`The previous database is now ${previous}.`)
    })
}
