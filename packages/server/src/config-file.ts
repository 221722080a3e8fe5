import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { ConfigError, type ConfigFile } from './config.ts'

/**
 * Reads the configuration file at `path`, YAML or JSON: settings by name. A list is a list or a text with commas.
 * @throws {ConfigError} where the file cannot be read or has another format
 */
export function readConfigFile(path: string): ConfigFile {
  const document = parsed(textOf(path), path)
  if (document === null || document === undefined) return { path, values: {} }
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new ConfigError([`${path} must contain settings by name, like port: 4800`])
  }
  const entries = Object.entries(document).map(([key, value]) => [key, asText(value)] as const)
  const problems = entries
    .filter(([, text]) => text === undefined)
    .map(([key]) => `${key} in ${path} must be a text, a number, true, false, or a list of those`)
  if (problems.length > 0) throw new ConfigError(problems)
  return { path, values: Object.fromEntries(entries) as Record<string, string> }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError([`The configuration file ${path} cannot be read (${code}).`])
  }
}

function parsed(text: string, path: string): unknown {
  try {
    // JSON is YAML, too. Errors quote no line, because it may contain a secret.
    return parse(text, { prettyErrors: false })
  } catch (error) {
    const { linePos } = error as { linePos?: readonly { readonly line: number }[] }
    const place = linePos?.[0] === undefined ? '' : ` (line ${linePos[0].line})`
    throw new ConfigError([`${path} is neither YAML nor JSON${place}.`])
  }
}

function asText(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(asText)
    return texts.includes(undefined) ? undefined : texts.join(',')
  }
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
