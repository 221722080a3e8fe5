import type { Command } from 'commander'
import { resolve } from 'node:path'
import { dataDirOf } from '../../api/admin-token.ts'
import { writeFailure } from '../../failure.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { outputOf } from '../../output/output.ts'
import { databaseFailure } from '../../service/start-failure.ts'

interface RebuildOptions {
  readonly dataDir?: string
  readonly from?: string
}

/** `hookline rebuild` */
export function addRebuild(program: Command): void {
  withYesOption(program.command('rebuild'))
    .description('rebuild a damaged database from its readable rows')
    .option('--data-dir <folder>', 'the data folder, which no service uses')
    .option('--from <file>', 'read this database, and not the one of the folder')
    .action(async (options: RebuildOptions, command: Command) => {
      const dataDir = dataDirOf(options.dataDir)
      await confirm(
        command,
        () =>
          `This replaces the database in ${dataDir}. It is kept beside the new one, under another name.`,
      )
      const { rebuildInto } = await import('@hookline/server')
      const from = options.from === undefined ? undefined : resolve(options.from)
      const { previous, missing } = await rebuildInto(dataDir, from).catch((error: unknown) => {
        throw databaseFailure(error) ?? writeFailure(dataDir, error)
      })
      const output = outputOf(command)
      output.data({ dataDir, keptBefore: previous ?? null, damages: missing }, () =>
        missing.join('\n'),
      )
      if (previous !== undefined) output.note(`The previous database is now ${previous}.`)
    })
}
