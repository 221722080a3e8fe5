import { flagOf, variableOf } from '../packages/server/src/config.ts'
import { type Setting, type SettingName, SETTINGS } from '../packages/server/src/settings.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/config.md: every setting of the service. */
export function configPage(): string {
  return page(
    '# Settings',
    'Hookline runs without any setting. A command-line flag overrides an environment variable, a variable overrides the configuration file, and the file overrides the default. Times are in milliseconds, sizes in bytes. When the service starts, it reports all mistakes at once, including unknown variables that begin with `HOOKLINE_`. `hookline config` shows every value and where it comes from.',
    'The flag `--config` or the variable `HOOKLINE_CONFIG` names the configuration file. The file is YAML or JSON, with setting names in camel case (`retryWindowMs: 3600000`). A secret can be in its own file: add `_FILE` to the name of its variable, and set it to the path (`HOOKLINE_ADMIN_TOKEN_FILE`).',
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
