import { flagOf, variableOf } from '../packages/server/src/config.ts'
import { type Setting, type SettingName, SETTINGS } from '../packages/server/src/settings.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/config.md: every setting of the service. */
export function configPage(): string {
  return page(
    '# Settings',
    'A flag of the command line wins over an environment variable, a variable over the configuration file, the file over the default. Nothing has to be set. Times are in milliseconds, sizes in bytes. All mistakes are named at once when the service starts, unknown variables that begin with `HOOKLINE_` among them; `hookline config` shows every value and where it comes from.',
    'The file is named by `--config` or `HOOKLINE_CONFIG`, and is YAML or JSON: each setting by its name in camel case (`retryWindowMs: 3600000`). A secret may be in a file of its own: its variable with `_FILE` holds the path (`HOOKLINE_ADMIN_TOKEN_FILE`).',
    table(['flag', 'variable', 'default', 'meaning'], rows()),
  )
}

function rows(): string[][] {
  return Object.entries<Setting>(SETTINGS).map(([key, setting]) => {
    const name = key as SettingName
    return [code(flagOf(name)), code(variableOf(name)), defaultOf(setting), plain(setting.doc)]
  })
}

function defaultOf(setting: Setting): string {
  if (setting.default === undefined) return 'none'
  return setting.default === '' ? 'empty' : code(setting.default)
}
