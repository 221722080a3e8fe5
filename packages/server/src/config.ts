import leven from 'leven'
import { readFileSync } from 'node:fs'
import { type Setting, type SettingName, SETTINGS } from './settings.ts'

type Value<S extends SettingName> =
  | ReturnType<(typeof SETTINGS)[S]['parse']>
  | ((typeof SETTINGS)[S] extends { readonly default: string } ? never : undefined)

/** All settings, parsed and frozen. */
export type Config = { readonly [S in SettingName]: Value<S> }

/** Lists every problem in a configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : 'problems'}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>
type Flags = { readonly [S in SettingName]?: string }

/** A configuration file: settings by name, with values written as in flags. */
export interface ConfigFile {
  readonly path: string
  readonly values: Readonly<Record<string, string>>
}

/** The origin of the value of a setting. */
export interface Origin {
  readonly kind: 'flag' | 'environment' | 'file' | 'default' | 'unset'
  /** The name of the flag, variable or file; absent if none was set. */
  readonly name?: string
  readonly key?: string
}

/** A configuration, with the origin of each value. */
export interface ResolvedConfig {
  readonly config: Config
  readonly origins: { readonly [S in SettingName]: Origin }
  /** The text of each value that is set. For a secret, this is the secret itself. */
  readonly texts: { readonly [S in SettingName]?: string }
}

/** The flag of a setting: `--retry-window` for `retryWindowMs`, because durations are written with a unit. */
export function flagOf(name: SettingName): string {
  return `--${nameOf(name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The environment variable of a setting: `HOOKLINE_RETRY_WINDOW`. */
export function variableOf(name: SettingName): string {
  return `HOOKLINE_${nameOf(name)
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`
}

/** The public name of a setting: `retryWindow` for `retryWindowMs`. */
export function nameOf(name: SettingName): string {
  return name.replace(/Ms$/, '')
}

/** The variable that names a file containing the secret: `HOOKLINE_ADMIN_TOKEN_FILE`. */
export function fileVariableOf(name: SettingName): string {
  return `${variableOf(name)}_FILE`
}

const NAMES = Object.keys(SETTINGS) as SettingName[]
const SECRETS = NAMES.filter((name) => (SETTINGS[name] as Setting).secret)
const KEYS = NAMES.map(nameOf)
const VARIABLES = [...NAMES.map(variableOf), ...SECRETS.map(fileVariableOf)]

/** Variables with the prefix HOOKLINE_ that are not settings. */
const OTHER_VARIABLES = /^HOOKLINE_(?:TEST_|REQUIRE_|URL$|WRITE_KEY$|CONFIG$)/

/**
 * Builds the configuration. In order of precedence: flags, environment variables, the file, defaults.
 * @throws {ConfigError} with all problems, and a suggestion for each unknown variable or key
 */
export function parseConfig(
  environment: Environment,
  flags: Flags = {},
  file?: ConfigFile,
): Config {
  return resolveConfig(environment, flags, file).config
}

/** Like `parseConfig`, with the origin of each value. @throws {ConfigError} */
export function resolveConfig(
  environment: Environment,
  flags: Flags = {},
  file?: ConfigFile,
): ResolvedConfig {
  const problems = [...unknownVariables(environment), ...unknownKeys(file)]
  const config: Partial<Record<SettingName, unknown>> = {}
  const origins: Partial<Record<SettingName, Origin>> = {}
  const texts: { [S in SettingName]?: string } = {}
  for (const name of NAMES) {
    try {
      const { text, origin } = find(name, environment, flags, file)
      origins[name] = origin
      if (text === undefined) continue
      texts[name] = text
      config[name] = parseSetting(name, text, origin)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    config: Object.freeze(config) as Config,
    origins: origins as Record<SettingName, Origin>,
    texts,
  }
}

function find(
  name: SettingName,
  environment: Environment,
  flags: Flags,
  file: ConfigFile | undefined,
): { readonly text: string | undefined; readonly origin: Origin } {
  const { default: fallback, secret }: Setting = SETTINGS[name]
  const variable = variableOf(name)
  const fileVariable = fileVariableOf(name)
  const key = nameOf(name)
  if (flags[name] !== undefined) {
    return { text: flags[name], origin: { kind: 'flag', name: flagOf(name) } }
  }
  if (environment[variable] !== undefined) {
    return { text: environment[variable], origin: { kind: 'environment', name: variable } }
  }
  if (secret && environment[fileVariable] !== undefined) {
    const text = secretIn(environment[fileVariable], fileVariable)
    return { text, origin: { kind: 'environment', name: fileVariable } }
  }
  if (file && Object.hasOwn(file.values, key)) {
    return { text: file.values[key], origin: { kind: 'file', name: file.path, key } }
  }
  return { text: fallback, origin: { kind: fallback === undefined ? 'unset' : 'default' } }
}

function secretIn(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`Cannot read the file set in ${variable} (${code}): ${path}`, { cause })
  }
}

function parseSetting(name: SettingName, text: string, { kind, name: from, key }: Origin): unknown {
  const setting: Setting = SETTINGS[name]
  try {
    return setting.parse(text)
  } catch (cause) {
    const place = kind === 'file' ? `${key} in ${from}` : (from ?? flagOf(name))
    const actual = setting.secret ? '' : `, not "${text}"`
    throw new Error(`${place} must be ${(cause as Error).message}${actual}`, { cause })
  }
}

function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((variable) => variable.startsWith('HOOKLINE_') && !VARIABLES.includes(variable))
    .filter((variable) => !OTHER_VARIABLES.test(variable))
    .map(
      (variable) => `${variable} is not a setting; did you mean ${nearest(variable, VARIABLES)}?`,
    )
}

function unknownKeys(file: ConfigFile | undefined): string[] {
  return Object.keys(file?.values ?? {})
    .filter((key) => !KEYS.includes(key))
    .map((key) => `${key} in ${file?.path} is not a setting; did you mean ${nearest(key, KEYS)}?`)
}

function nearest(name: string, known: readonly string[]): string {
  return known.reduce((best, candidate) =>
    leven(name, candidate) < leven(name, best) ? candidate : best,
  )
}
