import type { Command } from 'commander'
import { outputOf } from '../../output/output-of.ts'
import { startFailure } from '../../service/open-or-explain.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'

/** `hookline migrate` */
export function addMigrate(program: Command): void {
  withServerOptions(program.command('migrate'))
    .description('bring the database of a stopped service up to date, as its next start would')
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const { migrateStopped } = await import('@hookline/server')
      const { from, to } = await migrateStopped(config).catch((error: unknown) => {
        throw startFailure(error, config) ?? error
      })
      outputOf(command).data({ from, to }, () =>
        from === to ? `Schema ${to}: nothing to do.` : `Schema ${from} is ${to} now.`,
      )
    })
}
