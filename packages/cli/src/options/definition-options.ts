import {
  type Comparison,
  COMPUTE_FUNCTIONS,
  COUNT_OPERATORS,
  type CountOperator,
  type Duration,
  DURATION_UNITS,
  type JsonObject,
  parseTimeSpan,
} from '@hookline/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { definedFields } from '../api/management-api.ts'
import { Failure } from '../failure.ts'
import { jsonObjectIn } from './json-file.ts'
import { comparisonOf } from './routing-options.ts'

type Definition = 'condition' | 'compute'

/** A comparison of an event's property, or of a trait or computed trait of the profile. */
type ComparedProperty = Comparison & { readonly property?: string }

export interface DefinitionOptions {
  readonly condition?: string
  readonly compute?: string
  readonly event?: string
  readonly where?: readonly ComparedProperty[]
  readonly within?: Duration
  readonly count?: { readonly op: CountOperator; readonly n: number }
  readonly fn?: string
  readonly property?: string
}

const ROOTS = {
  condition: {
    properties: 'property',
    traits: 'trait',
    computedTraits: 'computedTrait',
  },
  compute: { properties: 'property' },
} as const

const WHERE_HELP = {
  condition:
    'only users who match this comparison, such as "traits.plan=pro", "computedTraits.spent>100" or, for their events, "properties.total>100"; repeat to require more',
  compute: 'only events with this value, such as "properties.total>100"; repeat to require more',
} as const

/** The options for common definitions, which replace the file. */
export const SHORT_OPTIONS = {
  condition: '--event, --where, --within or --count',
  compute: '--fn, --property, --event, --where or --within',
} as const

function fileHelp(definition: Definition): string {
  return `JSON file with the ${definition === 'compute' ? 'computation' : definition}; - for stdin`
}

/** Adds options that define an audience or a computed trait: a file, or options for common definitions. */
export function withDefinitionOptions<C extends Command>(command: C, definition: Definition): C {
  command
    .option(`--${definition} <file>`, `${fileHelp(definition)}; instead of the options below`)
    .option('--event <name>', 'only track events with this name', onlyOne)
    .option(
      '--where <comparison>',
      WHERE_HELP[definition],
      (text, earlier?: readonly ComparedProperty[]) => [
        ...(earlier ?? []),
        comparisonOf(text, { roots: ROOTS[definition], fields: [] }) as ComparedProperty,
      ],
    )
    .option('--within <time>', 'only events from the last <time>, such as 30d', durationIn)
  if (definition === 'condition')
    return command.option(
      '--count <comparison>',
      'only users with this number of events, such as ">=2"',
      countIn,
    )
  return command
    .addOption(
      new Option('--fn <function>', 'how the trait is computed').choices(COMPUTE_FUNCTIONS),
    )
    .option(
      '--property <path>',
      'property that the trait is computed from, such as properties.total',
      propertyIn,
    )
}

/** The definition from the file or the other options; `undefined` without any of them. @throws {Failure} `usage` */
export async function definitionOf(
  options: DefinitionOptions,
  definition: Definition,
): Promise<JsonObject | undefined> {
  const { event, where, within, count, fn, property } = options
  const file = options[definition]
  const isShort = isAny(event, where, within, count, fn, property)
  if (file === undefined) return isShort ? shortDefinition(options, definition) : undefined
  if (isShort)
    throw new Failure(
      'usage',
      `--${definition} cannot be combined with ${SHORT_OPTIONS[definition]}.`,
    )
  return jsonObjectIn(file, fileHelp(definition))
}

/** The clause for the event and the clauses for the profile, if any, combined with `and`. */
function shortDefinition(
  { event, where = [], within, count, fn, property }: DefinitionOptions,
  definition: Definition,
): JsonObject {
  const isOfEvent = (each: ComparedProperty): boolean => each.property !== undefined
  const ofEvent = where.some(isOfEvent) ? where.filter(isOfEvent) : undefined
  const ofEvents = {
    '--where with properties': ofEvent,
    '--within': within,
    '--count': count,
    '--fn': fn,
    '--property': property,
  }
  const [option] = Object.entries(ofEvents).find(([, value]) => value !== undefined) ?? []
  if (event === undefined && option !== undefined)
    throw new Failure('usage', `${option} requires --event.`)
  if (definition === 'compute' && fn === undefined)
    throw new Failure('usage', 'A computed trait needs --fn.')
  const clause = definedFields({ fn, event, property, where: ofEvent, count, within })
  const clauses = [
    ...(event === undefined ? [] : [clause]),
    ...where.filter((each) => !isOfEvent(each)),
  ]
  return (clauses.length === 1 ? clauses[0]! : { and: clauses }) as JsonObject
}

function isAny(...values: readonly unknown[]): boolean {
  return values.some((each) => each !== undefined)
}

function onlyOne(text: string, earlier?: string): string {
  if (earlier === undefined) return text
  throw new Failure('usage', 'Only one --event is allowed.', {
    hint: 'Use a JSON file for conditions on several events.',
  })
}

function durationIn(text: string): Duration {
  const ms = parseTimeSpan(text) ?? 0
  const unit = Object.entries(DURATION_UNITS).find(([, length]) => ms > 0 && ms % length === 0)
  if (unit !== undefined) return { [unit[0]]: ms / unit[1] }
  throw new InvalidArgumentError('Use a duration in whole seconds, such as 30d or 12h.')
}

function countIn(text: string): DefinitionOptions['count'] {
  const [, symbol, n] = /^\s*([<>=!]+)\s*(\d{1,9})\s*$/.exec(text) ?? []
  const op = COUNT_OPERATORS.find((each) => each === (symbol === '=' ? '==' : symbol))
  if (op !== undefined) return { op, n: Number(n) }
  throw new InvalidArgumentError(
    `Use a comparison with ${COUNT_OPERATORS.join(' ')}, such as ">=2".`,
  )
}

function propertyIn(path: string): string {
  if (path.startsWith('properties.')) return path.slice('properties.'.length)
  throw new InvalidArgumentError('Use a path in properties, such as properties.total.')
}
