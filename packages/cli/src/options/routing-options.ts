import {
  type Comparison,
  EVENT_TYPES,
  type EventType,
  type Fields,
  type Filter,
  FILTER_FIELDS,
  type Format,
  FORMATS,
  type Json,
  type Operator,
  OPERATOR_TABLE,
  OPERATORS,
  READY_MADE_TRANSFORMS,
  type Sample,
  type ValueComparison,
  WEBHOOK_METHODS,
  type WebhookMethod,
} from '@hookline/protocol'
import { Option } from 'commander'
import { definedFields } from '../api/management-api.ts'
import type { ApiCommand } from '../commands/api-command.ts'
import { Failure } from '../failure.ts'
import { jsonObjectIn, textIn } from './json-file.ts'

export interface RoutingOptions extends FilterOptions, FieldOptions {
  readonly sample?: Sample | false
  readonly format?: Format
  readonly transform?: string | false
  readonly method?: WebhookMethod
}

export interface FieldOptions {
  readonly drop?: readonly string[]
  readonly keep?: readonly string[]
  readonly hash?: readonly string[]
  readonly hashEmail?: readonly string[]
  readonly fields?: false
}

export interface FilterOptions {
  readonly only?: readonly EventType[]
  readonly event?: readonly string[]
  readonly where?: readonly ValueComparison[]
  readonly filter?: string | false
}

export function withFilterOptions(command: ApiCommand): ApiCommand {
  return command
    .option('--only <types>', 'only events of these types, separated by commas', typesIn)
    .option(
      '--event <name>',
      'only track events with this name; "Order *" for all names that begin with "Order "; repeat for more',
      collect,
    )
    .option(
      '--where <comparison>',
      'only events with this value, such as "properties.revenue>=100" or "context.ip exists"; repeat for more',
      (text, earlier?: readonly ValueComparison[]) => [...(earlier ?? []), comparisonIn(text)],
    )
    .option('--filter <file>', 'the filter as a JSON file; - for stdin')
}

/** Options of `destinations create` and `update`. */
export function withRoutingOptions(command: ApiCommand): ApiCommand {
  const filtered = withFilterOptions(command).option(
    '--sample <share>',
    'only events from this share of users, such as 0.1 or 10%',
    sampleIn,
  )
  return withFieldOptions(filtered)
    .addOption(new Option('--format <format>', 'format of request bodies').choices(FORMATS))
    .option('--transform <file>', TRANSFORM_HELP)
    .addOption(new Option('--method <method>', 'HTTP method of requests').choices(WEBHOOK_METHODS))
}

/** Options of `destinations update` that remove values. */
export function withRoutingRemovals(command: ApiCommand): ApiCommand {
  return command
    .option('--no-filter', 'remove the filter')
    .option('--no-sample', 'remove the sample')
    .option('--no-fields', 'send all fields unchanged')
    .option('--no-transform', 'remove the transform')
}

export function withFieldOptions(command: ApiCommand): ApiCommand {
  return command
    .option(
      '--drop <path>',
      'remove the field at this path, such as context.ip; repeat for more',
      collect,
    )
    .option(
      '--keep <path>',
      'keep only the field at this path and the required fields; repeat for more',
      collect,
    )
    .option(
      '--hash <path>',
      'replace the field at this path with its HMAC; repeat for more',
      collect,
    )
    .option(
      '--hash-email <path>',
      'like --hash, for an email address, which is first trimmed and lowercased; repeat for more',
      collect,
    )
}

const NAMES = Object.keys(READY_MADE_TRANSFORMS)

const TRANSFORM_HELP = `JSONata file that creates the request body (- for stdin), or a ready-made transform: ${NAMES.join(', ')}`

/** A ready-made expression by its name, or the one in a file. */
export function transformOf(name: string): string | Promise<string> {
  const readyMade = Object.entries(READY_MADE_TRANSFORMS).find(([known]) => known === name)
  const hint = `Use a file with a JSONata expression, or one of ${NAMES.join(', ')}.`
  return readyMade?.[1].expression ?? textIn(name, hint)
}

const HINT = 'For example {"event": "Order *"}, or {"type": "identify"}.'

/** The filter that the options describe; `null` for `--no-filter`, `undefined` for no change. */
export async function filterOf(options: FilterOptions): Promise<Filter | null | undefined> {
  const { only, event, where, filter } = options
  const isShort = only !== undefined || event !== undefined || where !== undefined
  if (filter !== undefined && isShort)
    throw new Failure(
      'usage',
      '--filter and --no-filter conflict with --only, --event and --where.',
    )
  if (filter === false) return null
  if (typeof filter === 'string') return await jsonObjectIn(filter, HINT)
  if (!isShort) return undefined
  return shortFilter(options)
}

function shortFilter({ only, event, where }: FilterOptions): Filter {
  const types = only ?? (event === undefined ? undefined : (['track'] as const))
  if (types === undefined) return { where: where ?? [] }
  if (event !== undefined && !types.includes('track'))
    throw new Failure('usage', 'With --event, --only must include track.')
  for (const each of where ?? [])
    if (!types.some((type) => applies(each, type)))
      throw new Failure(
        'usage',
        '--where compares properties, which the types in --only do not have.',
      )
  const clauses = types.map((type) => {
    const names = type === 'track' && event !== undefined ? { event: one(event) } : { type }
    const compared = (where ?? []).filter((each) => applies(each, type))
    return { ...names, ...(compared.length > 0 && { where: compared }) }
  })
  return clauses.length === 1 ? clauses[0]! : { or: clauses }
}

/** The settings that the options describe; `undefined` for no change, `null` for removal. */
export async function routingOf(
  options: RoutingOptions,
  readFields: () => Promise<Partial<Fields>> = () => Promise.resolve({}),
) {
  return {
    filter: await filterOf(options),
    sample: options.sample === false ? null : options.sample,
    fields: await fieldsOf(options, readFields),
    format: options.format,
    transform:
      options.transform === false
        ? null
        : options.transform && (await transformOf(options.transform)),
    method: options.method,
  }
}

/** Replaces the rules given by options, and keeps the other current rules. `null` for `--no-fields`. */
export async function fieldsOf(
  options: FieldOptions,
  readFields: () => Promise<Partial<Fields>> = () => Promise.resolve({}),
): Promise<object | null | undefined> {
  const { drop, keep, hash, hashEmail, fields } = options
  const isChanged = [drop, keep, hash, hashEmail].some((paths) => paths !== undefined)
  if (fields === false && isChanged)
    throw new Failure(
      'usage',
      '--no-fields conflicts with --drop, --keep, --hash and --hash-email.',
    )
  if (fields === false) return null
  if (!isChanged) return undefined
  const current = await readFields()
  const { hash: hashed = [] } = current
  const plain = hash?.map((path) => ({ path }))
  const emails = hashEmail?.map((path) => ({ path, normalize: 'email' }))
  const hashes = [
    ...(plain ?? hashed.filter(({ normalize }) => normalize === undefined)),
    ...(emails ?? hashed.filter(({ normalize }) => normalize === 'email')),
  ]
  return {
    ...current,
    ...definedFields({ drop, keep, hash: hashes.length > 0 ? hashes : undefined }),
  }
}

function collect(text: string, earlier?: readonly string[]): readonly string[] {
  return [...(earlier ?? []), text]
}

function one<T>(values: readonly T[]): T | readonly T[] {
  return values.length === 1 ? values[0]! : values
}

const WITH_PROPERTIES: readonly EventType[] = ['track', 'page', 'screen']

/** Comparisons of properties only apply to types that have properties. */
function applies(comparison: ValueComparison, type: EventType): boolean {
  return !('property' in comparison) || WITH_PROPERTIES.includes(type)
}

function typesIn(text: string): readonly EventType[] {
  const types = text.split(',').map((each) => each.trim())
  const wrong = types.find((each) => !EVENT_TYPES.some((type) => type === each))
  if (wrong === undefined) return types as EventType[]
  throw new Failure('usage', `Unknown type in --only: ${JSON.stringify(wrong)}.`, {
    hint: `Use ${EVENT_TYPES.join(', ')}.`,
  })
}

const SYMBOLS: Readonly<Record<string, Operator>> = {
  '>=': '>=',
  '<=': '<=',
  '!=': 'not_equals',
  '==': 'equals',
  '=': 'equals',
  '>': '>',
  '<': '<',
}

/** The operands of a comparison: paths that begin with one of these roots, and fields without a path. */
export interface Operands {
  readonly roots: Readonly<Record<string, string>>
  readonly fields: readonly string[]
}

const OF_EVENTS: Operands = {
  roots: { properties: 'property', traits: 'trait', context: 'context' },
  fields: FILTER_FIELDS,
}
const WORDS = OPERATORS.filter((op) => /\w/.test(op))
const COMPARISON = new RegExp(
  String.raw`^\s*([^\s<>=!]+)\s*(?:(>=|<=|!=|==|=|>|<)|\s(${WORDS.join('|')})(?=\s|$))\s*(.*)$`,
  's',
)

export function comparisonIn(text: string): ValueComparison {
  return comparisonOf(text, OF_EVENTS) as ValueComparison
}

/** @throws {Failure} `usage` */
export function comparisonOf(text: string, operands: Operands): Comparison {
  const [, path, symbol, word, operand = ''] = COMPARISON.exec(text) ?? []
  const op = symbol === undefined ? (word as Operator | undefined) : SYMBOLS[symbol]
  const compared = path === undefined ? undefined : comparedIn(path, operands)
  if (op === undefined || compared === undefined)
    throw new Failure('usage', `--where is not a valid comparison: ${JSON.stringify(text)}.`, {
      hint: `Use ${[...Object.keys(operands.roots).map((root) => `${root}.…`), ...operands.fields].join(', ')}, then ${Object.keys(SYMBOLS).join(' ')} or ${WORDS.join(', ')}, then the value.`,
    })
  if (OPERATOR_TABLE[op].takes === 'none' && operand === '') return { ...compared, op }
  const value = valueIn(operand)
  // Ids and names are always text.
  const isText = 'field' in compared && typeof value !== 'object'
  return { ...compared, op, value: isText && typeof value !== 'string' ? operand : value }
}

function comparedIn(path: string, { roots, fields }: Operands) {
  if (fields.includes(path)) return { field: path }
  const dot = path.indexOf('.')
  const root = path.slice(0, dot)
  return Object.hasOwn(roots, root) ? { [roots[root]!]: path.slice(dot + 1) } : undefined
}

/** As JSON if it is JSON: a number, `true`, a list or a quoted string. Otherwise as text. */
function valueIn(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function sampleIn(text: string): Sample {
  const [, number, percent] = /^(\d*\.?\d+)(%?)$/.exec(text) ?? []
  const rate = Number(number) / (percent === '%' ? 100 : 1)
  if (rate >= 0 && rate <= 1) return { rate, by: 'userId' }
  throw new Failure('usage', '--sample must be a share from 0 to 1, or a percentage.')
}
