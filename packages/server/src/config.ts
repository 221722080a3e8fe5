import leven from 'leven'
import { readFileSync } from 'node:fs'
import { type Setting, type SettingName, SETTINGS } from './settings.ts'

type Value<S extends SettingName> =
  | ReturnType<(typeof SETTINGS)[S]['parse']>
  | ((typeof SETTINGS)[S] extends { readonly default: string } ? never : undefined)

/** All settings, parsed and frozen. */
export type Config = { readonly [S in SettingName]: Value<S> }

/** All problems of the configuration at once. */
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

/** The contents of a configuration file: settings by name, with values as a flag would have them. */
export interface ConfigFile {
  readonly path: string
  readonly values: Readonly<Record<string, string>>
}

/** Where the value of a setting comes from. */
export interface Origin {
  readonly kind: 'flag' | 'environment' | 'file' | 'default' | 'unset'
  /** The name of the flag, the variable or the file; absent where nothing was set. */
  readonly name?: string
  /** How the file spells the setting. */
  readonly key?: string
}

/** A configuration, with the origin of each value. */
export interface ResolvedConfig {
  readonly config: Config
  readonly origins: { readonly [S in SettingName]: Origin }
  /** The text of each value; absent where there is none. The text of a secret is the secret itself. */
  readonly texts: { readonly [S in SettingName]?: string }
}

/** `--retry-window`, the flag of the setting `retryWindowMs`: a time is written with its unit. */
export function flagOf(name: SettingName): string {
  return flagFor(nameOf(name))
}

/** `--retry-window-ms`, which is accepted as well; `undefined` for a setting that is no time. */
export function flagWithUnitOf(name: SettingName): string | undefined {
  return nameOf(name) === name ? undefined : flagFor(name)
}

/** `HOOKLINE_RETRY_WINDOW`, the environment variable of a setting. */
export function variableOf(name: SettingName): string {
  return variableFor(nameOf(name))
}

/** `retryWindow`, the name of the setting `retryWindowMs` for people. */
export function nameOf(name: SettingName): string {
  return name.replace(/Ms$/, '')
}

function flagFor(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function variableFor(name: string): string {
  return `HOOKLINE_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** `HOOKLINE_ADMIN_TOKEN_FILE`, the variable that names a file with the secret. */
export function fileVariableOf(name: SettingName): string {
  return `${variableOf(name)}_FILE`
}

const NAMES = Object.keys(SETTINGS) as SettingName[]
const SECRETS = NAMES.filter((name) => (SETTINGS[name] as Setting).secret)
/** Every spelling of every name. */
const SPELLINGS = NAMES.flatMap(spellingsOf)
const VARIABLES = [...SPELLINGS.map(variableFor), ...SECRETS.map(fileVariableOf)]

function spellingsOf(name: SettingName): string[] {
  return [...new Set([nameOf(name), name])]
}

/** Variables that begin with HOOKLINE_ but are not settings of the service. */
const OTHER_VARIABLES = /^HOOKLINE_(?:TEST_|REQUIRE_|URL$|WRITE_KEY$|CONFIG$)/

/**
 * Makes the configuration from flags, environment and file. A flag wins over a variable, a variable over the file, and
 * the file over the default.
 * @throws {ConfigError} with all problems at once, and a suggestion for each unknown variable or key
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
  const problems = [
    ...unknownVariables(environment),
    ...unknownKeys(file),
    ...NAMES.flatMap((name) => spelledTwice(name, environment, file)),
  ]
  const config: Partial<Record<SettingName, unknown>> = {}
  const origins: Partial<Record<SettingName, Origin>> = {}
  const texts: { [S in SettingName]?: string } = {}
  for (const name of NAMES) {
    try {
      const { text, origin } = find(name, environment, flags, file)
      origins[name] = origin
      if (text === undefined) continue
      texts[name] = text
      config[name] = parsed(name, text, origin)
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
  const names = spellingsOf(name)
  const variable =
    names.map(variableFor).find((each) => environment[each] !== undefined) ?? variableOf(name)
  const fileVariable = secret ? fileVariableOf(name) : variable
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
  const key = names.find((each) => file && Object.hasOwn(file.values, each))
  if (file && key !== undefined) {
    return { text: file.values[key], origin: { kind: 'file', name: file.path, key } }
  }
  return { text: fallback, origin: { kind: fallback === undefined ? 'unset' : 'default' } }
}

function secretIn(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`${variable} names a file that cannot be read (${code}): ${path}`, { cause })
  }
}

function parsed(name: SettingName, text: string, { kind, name: from, key }: Origin): unknown {
  const setting: Setting = SETTINGS[name]
  try {
    return setting.parse(text)
  } catch (cause) {
    const place = kind === 'file' ? `${key} in ${from}` : (from ?? flagOf(name))
    const actual = setting.secret ? '' : `, not "${text}"`
    throw new Error(`${place} must be ${(cause as Error).message}${actual}`, { cause })
  }
}

/** A setting whose former name, with its unit, is there beside its name: which one counts would be a guess. */
function spelledTwice(name: SettingName, environment: Environment, file?: ConfigFile): string[] {
  const names = spellingsOf(name)
  const variables = names.map(variableFor).filter((each) => environment[each] !== undefined)
  const keys = names.filter((each) => file && Object.hasOwn(file.values, each))
  return [variables, keys]
    .filter(({ length }) => length > 1)
    .map((given) => `${given.join(' and ')} are the same setting: give only one of them`)
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
    .filter((key) => !SPELLINGS.includes(key))
    .map(
      (key) =>
        `${key} in ${file?.path} is not a setting; did you mean ${nearest(key, NAMES.map(nameOf))}?`,
    )
}

function nearest(name: string, known: readonly string[]): string {
  return known.reduce((best, candidate) =>
    leven(name, candidate) < leven(name, best) ? candidate : best,
  )
}
