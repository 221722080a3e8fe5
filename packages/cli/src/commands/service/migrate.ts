import type { Command } from 'commander'
import { outputOf } from '../../output/output.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'
import { startFailure } from '../../service/start-failure.ts'

export function addMigrate(program: Command): void {
  withServerOptions(program.command('migrate'))
    .description('migrate the database of a stopped service')
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const { migrateStopped } = await import('@hookline/server')
      const output = outputOf(command)
      const onUnreadable = ({ table, key }: { readonly table: string; readonly key: number }) =>
        output.note(`Row ${key} of table ${table} is corrupted and was skipped.`)
      const { from, to } = await migrateStopped({ ...config, onUnreadable }).catch(
        (error: unknown) => {
          throw startFailure(error, config) ?? error
        },
      )
      output.data({ from, to }, () =>
        from === to
          ? `The database already has schema ${to}.`
          : `Migrated the database from schema ${from} to ${to}.`,
      )
    })
}
