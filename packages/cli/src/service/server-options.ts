import {
  type Config,
  ConfigError,
  flagOf,
  resolveConfig,
  type ResolvedConfig,
  variableOf,
} from '@hookline/server/config'
import { type Setting, type SettingName, SETTINGS } from '@hookline/server/settings'
import { type Command, Option } from 'commander'
import { Failure } from '../failure.ts'

export type SettingFlags = { readonly [S in SettingName]?: string } & { readonly config?: string }

export function withServerOptions(command: Command): Command {
  command.option('--config <file>', 'YAML or JSON file with settings (HOOKLINE_CONFIG)')
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting][]) {
    const about = [...(setting.default ? [`default ${setting.default}`] : []), variableOf(name)]
    const option = new Option(`${flagOf(name)} <value>`, `${setting.doc} (${about.join('; ')})`)
    option.attributeName = () => name
    command.addOption(option)
  }
  return command
}

/** @throws {Failure} `usage`, with all errors at once */
export async function configFrom(flags: SettingFlags): Promise<Config> {
  return (await resolvedConfigFrom(flags)).config
}

/** Includes the origin of each value. @throws {Failure} `usage`, with all errors at once */
export async function resolvedConfigFrom({
  config: path = process.env['HOOKLINE_CONFIG'],
  ...flags
}: SettingFlags): Promise<ResolvedConfig> {
  try {
    const file = path === undefined ? undefined : await configFile(path)
    return resolveConfig(process.env, flags, file)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new Failure('usage', error.message, {
      cause: error,
      code: 'invalid_configuration',
      hint: '`hookline start --help` lists all settings.',
    })
  }
}

// Imported on demand: commands start faster without the YAML parser.
async function configFile(path: string) {
  const { readConfigFile } = await import('@hookline/server/config-file')
  return readConfigFile(path)
}
