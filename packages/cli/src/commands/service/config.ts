import { flagOf, type Origin, variableOf } from '@hookline/server/config'
import { type Setting, type SettingName, SETTINGS } from '@hookline/server/settings'
import type { Command } from 'commander'
import { outputOf } from '../../output/output.ts'
import { table } from '../../output/table.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'

interface ShownSetting {
  readonly name: string
  readonly flag: string
  readonly variable: string
  /** `null` if it is not set; `hidden` for a secret. */
  readonly value: string | null
  readonly origin: Origin
}

/** `hookline config` */
export function addConfig(program: Command): void {
  withServerOptions(program.command('config'))
    .description('show the value of every setting, and where it comes from')
    .action(async (flags: SettingFlags, command: Command) => {
      const { origins, texts } = await resolvedConfigFrom(flags)
      const settings = (Object.entries(SETTINGS) as [SettingName, Setting][]).map(
        ([name, { secret }]): ShownSetting => ({
          name,
          flag: flagOf(name),
          variable: variableOf(name),
          value: texts[name] === undefined ? null : secret ? 'hidden' : texts[name],
          origin: origins[name],
        }),
      )
      const output = outputOf(command)
      output.data({ settings }, () => table(output, COLUMNS, settings))
    })
}

const COLUMNS = [
  { head: 'setting', cell: ({ name }: ShownSetting) => name },
  { head: 'value', cell: ({ value }: ShownSetting) => value ?? '' },
  { head: 'from', cell: ({ origin }: ShownSetting) => origin.name ?? origin.kind },
]
