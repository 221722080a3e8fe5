import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { placeOfValue } from './json-place.ts'

/** The options and arguments that may give a field of a request; the command takes one of them. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  name: ['--name', '<name>'],
  sourceId: ['--source'],
  sourceIds: ['--source'],
  destinationId: ['--destination'],
  destinationIds: ['--destination'],
  eventId: ['--event'],
  userId: ['--user', '<userId>'],
  userIds: ['<userIds>'],
  anonymousId: ['--anonymous'],
  anonymousIds: ['--anonymous-id'],
  expiresAt: ['--expires'],
  ratePerSecond: ['--rate'],
  overlapHours: ['--overlap'],
  actorId: ['--token'],
  targetId: ['--target'],
  sharedSecret: ['--secret', '--secret-file'],
  secret: ['--secret', '--secret-file'],
  webhookUrl: ['--webhook'],
  webhooks: ['--webhook'],
  successPolicy: ['--policy'],
  settings: ['--webhook'],
}

/** The fields whose value is a JSON file. */
const FILES: Readonly<Record<string, string>> = { condition: '--condition', compute: '--compute' }

/**
 * The place of a fault in the words of the user of `command`: `--webhook`, the second `--source`, `condition.json line 3`.
 * `pointer` is a JSON Pointer into the request, or the name of a parameter. Empty if it is about everything.
 */
export function placeIn(command: Command, pointer: string): string {
  const [first = '', ...rest] = stepsOf(pointer)
  if (command.name() === 'import-config') return inFile(command.args[0], stepsOf(pointer))
  if (FILES[first] !== undefined) return fieldInFile(command, FILES[first], rest)
  if (first !== 'settings' || rest.length === 0) return given(command, first, rest)
  return inSettings(command, rest)
}

function stepsOf(pointer: string): string[] {
  if (pointer === '') return []
  const steps = pointer.startsWith('/') ? pointer.slice(1).split('/') : [pointer]
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function inSettings(command: Command, [field = '', ...rest]: readonly string[]): string {
  if (field !== 'webhooks' || rest.length === 0) return given(command, field, rest)
  const [index = '', of, header] = rest
  const webhook = nth('--webhook', index, lengthOf(command, '--webhook'))
  if (of !== 'headers') return webhook
  return header === undefined ? `--header of ${webhook}` : `--header ${JSON.stringify(header)}`
}

/** The option or the argument of the command that gave a field. */
function given(command: Command, field: string, [index]: readonly string[]): string {
  const names = FIELDS[field] ?? [flagOf(field), `<${field}>`]
  const taken = names.filter((each) => takes(command, each))
  const name = taken.find((each) => optionOf(command, each) !== undefined) ?? taken[0] ?? field
  return index === undefined ? name : nth(name, index, lengthOf(command, name))
}

function flagOf(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function takes(command: Command, name: string): boolean {
  if (name.startsWith('--')) return command.options.some(({ long }) => long === name)
  return command.registeredArguments.some((each) => `<${each.name()}>` === name)
}

/** How many values were given for an option or an argument. */
function lengthOf(command: Command, name: string): number {
  const values = optionOf(command, name) ?? command.processedArgs.find(Array.isArray)
  return Array.isArray(values) ? values.length : 1
}

/** The value of an option; `undefined` if it was not given. */
function optionOf(command: Command, name: string): unknown {
  const option = command.options.find(({ long }) => long === name)
  return option && command.getOptionValue(option.attributeName())
}

function nth(name: string, index: string, count: number): string {
  const number = Number(index) + 1
  return count > 1 && Number.isInteger(number) ? `${name} number ${number}` : name
}

function fieldInFile(command: Command, flag: string, steps: readonly string[]): string {
  const file = optionOf(command, flag)
  return typeof file === 'string' ? inFile(file, steps) : flag
}

function inFile(file: string | undefined, steps: readonly string[]): string {
  const field = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  const name = file === undefined || file === '-' ? 'the standard input' : file
  const place = placeOfValue(textOf(file), steps)
  const line = place === undefined ? '' : ` line ${place.line}`
  return `${name}${line}${field === '' ? '' : `, ${field.replace(/^\./, '')}`}`
}

function textOf(file: string | undefined): string {
  if (file === undefined || file === '-') return ''
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
