import { flagOf, nameOf, type Origin, variableOf } from '@hookline/server/config'
import { type Setting, type SettingName, SETTINGS } from '@hookline/server/settings'
import type { Command } from 'commander'
import { outputOf } from '../../output/output.ts'
import { type Column, table } from '../../output/table.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'

interface PresentedSetting {
  readonly name: SettingName
  readonly flag: string
  readonly variable: string
  /** `null` if it is not set; `hidden` for a secret. */
  readonly value: string | null
  readonly origin: Origin
}

export function addConfig(program: Command): void {
  withServerOptions(program.command('config'))
    .description('show all settings and where their values come from')
    .action(async (flags: SettingFlags, command: Command) => {
      const { origins, texts } = await resolvedConfigFrom(flags)
      const settings = (Object.entries(SETTINGS) as [SettingName, Setting][]).map(
        ([name, { secret }]): PresentedSetting => ({
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

const COLUMNS: readonly Column<PresentedSetting>[] = [
  { head: 'setting', cell: ({ name }) => nameOf(name) },
  { head: 'value', cell: ({ value }) => value ?? '', long: 'wrap' },
  { head: 'from', cell: ({ origin }) => origin.name ?? origin.kind },
]
