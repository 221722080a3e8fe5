import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { ConfigError, type ConfigFile } from './config.ts'

/** Reads settings from a YAML or JSON file. A list may also be a comma-separated string. @throws {ConfigError} */
export function readConfigFile(path: string): ConfigFile {
  const document = parseFile(textOf(path), path)
  if (document === null || document === undefined) return { path, values: {} }
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new ConfigError([`${path} must be a mapping of setting names to values, like port: 4800`])
  }
  const entries = Object.entries(document).map(([key, value]) => [key, asText(value)] as const)
  const problems = entries
    .filter(([, text]) => text === undefined)
    .map(([key]) => `${key} in ${path} must be a string, a number, true, false, or a list of these`)
  if (problems.length > 0) throw new ConfigError(problems)
  return { path, values: Object.fromEntries(entries) as Record<string, string> }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError([`Cannot read the configuration file ${path} (${code}).`])
  }
}

function parseFile(text: string, path: string): unknown {
  try {
    // JSON is valid YAML. The parser's pretty errors would quote the text, which may contain a secret.
    return parse(text, { prettyErrors: false })
  } catch (error) {
    const { pos = [0] } = error as { pos?: readonly number[] }
    throw new ConfigError([syntaxError(path, text, Math.min(pos[0]!, text.length))])
  }
}

/** The location of a syntax error. The line itself is not shown: it may contain a secret. */
function syntaxError(path: string, text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  const [line, column] = [before.length, before.at(-1)!.length + 1]
  return `${path} is not valid YAML or JSON: error at or before line ${line}, column ${column}.`
}

function asText(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(asText)
    return texts.includes(undefined) ? undefined : texts.join(',')
  }
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
