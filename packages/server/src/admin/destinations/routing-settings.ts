import {
  EVENT_TYPES,
  type Fields,
  type Filter,
  FILTER_FIELDS,
  FORMATS,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  NORMALIZATIONS,
  pathOf,
  type Sample,
  SAMPLE_FIELDS,
  WEBHOOK_METHODS,
  type WebhooksSettings,
} from '@hookline/protocol'
import jsonata from 'jsonata'
import { randomBytes } from 'node:crypto'
import { checkComparison, checkPath, checkText } from '../../audiences/conditions/checks.ts'
import { treeErrors } from '../../audiences/conditions/validate-condition.ts'
import { type FieldError, fieldError, errorsBelow, unknownFields } from '../../util/field-error.ts'
import { ENVELOPE, FIXED_CALL_FIELDS, FREE_FORM } from '../../routing/body.ts'
import { isHidden } from './hidden-values.ts'

const CLAUSE_FIELDS = ['type', 'event', 'where']
const PATHS = ['property', 'trait', 'context'] as const
const COMPARED = [...PATHS, 'field'] as const
const MAX_COMPARISONS = LIMITS.filtersPerClause
const MAX_NAMES = LIMITS.eventNamesPerClause

/** Validates a filter. The pointers of errors are relative to the filter. */
export function filterErrors(input: unknown): readonly FieldError[] {
  const errors = treeErrors(input, {
    kindsOf: (each) => CLAUSE_FIELDS.filter((name) => Object.hasOwn(each, name)).slice(0, 1),
    checkOf: () => ({ fields: CLAUSE_FIELDS, check: checkClause }),
    examples:
      'Use one of {"type": …}, {"event": …}, {"where": […]}, {"and": […]}, {"or": […]}, {"not": …}.',
    remedy: '',
  })
  const count = errors.length > 0 ? 0 : comparisonsIn(input as Filter)
  if (count <= MAX_IN_FILTER) return errors
  const hint = `Use at most ${MAX_IN_FILTER} in all clauses together. one_of compares with a list of values.`
  return [fieldError('', 'too_many', `The filter has ${count} comparisons.`, hint)]
}

const MAX_IN_FILTER = LIMITS.filterComparisons

function comparisonsIn(filter: Filter): number {
  const sum = (filters: readonly Filter[]): number =>
    filters.reduce((all, each) => all + comparisonsIn(each), 0)
  if ('and' in filter) return sum(filter.and)
  if ('or' in filter) return sum(filter.or)
  return 'not' in filter ? comparisonsIn(filter.not) : (filter.where ?? []).length
}

/** The optional settings that select events and define the request body. */
type RoutingSettings = Pick<
  WebhooksSettings,
  'filter' | 'sample' | 'fields' | 'format' | 'transform' | 'method'
>

const PARSERS: {
  readonly [Name in keyof Required<RoutingSettings>]: (
    input: unknown,
    errors: FieldError[],
    previous: WebhooksSettings[Name],
  ) => WebhooksSettings[Name]
} = {
  filter: parseFilter,
  sample: parseSample,
  fields: parseFields,
  format: parserOf('format', FORMATS),
  transform: parseTransform,
  method: parserOf('method', WEBHOOK_METHODS),
}

const ROUTING_FIELDS = Object.keys(PARSERS) as (keyof RoutingSettings)[]

/** Validates the routing settings in a request. Absent ones keep their previous value; `null` removes one. */
export function parseRouting(
  input: JsonObject,
  previous: RoutingSettings | undefined,
  errors: FieldError[],
): RoutingSettings {
  const parsed = ROUTING_FIELDS.flatMap((name): (readonly [string, unknown])[] => {
    const parse = PARSERS[name] as (...args: unknown[]) => unknown
    const before = previous?.[name]
    if (input[name] === null) return []
    const value = input[name] === undefined ? before : parse(input[name], errors, before)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(parsed)
}

export function presentRouting(settings: RoutingSettings): object {
  const { filter, sample, fields, format, transform, method } = settings
  return {
    ...(filter && { filter }),
    ...(sample && { sample }),
    ...(fields && { fields: presentFields(fields) }),
    ...(format && { format }),
    ...(transform !== undefined && { transform }),
    ...(method && { method }),
  }
}

/** Absent settings are `null`, so that an import removes them. */
export function exportRouting(settings: RoutingSettings, withSecrets: boolean): object {
  const { filter = null, sample = null, fields, format = null } = settings
  const { transform = null, method = null } = settings
  const shown = exportFields(fields, withSecrets)
  return { filter, sample, fields: shown, format, transform, method }
}

export function exportFields(fields: Fields | undefined, withSecrets: boolean): object | null {
  return fields && !withSecrets ? presentFields(fields) : (fields ?? null)
}

export function presentFields(fields: Fields): object {
  return { ...fields, salt: { set: true } }
}

/** Validates the rules of a source for fields; `null` removes them. Pointers are relative to the source. */
export function parseSourceFields(
  input: unknown,
  errors: FieldError[],
  previous: Fields | undefined,
): Fields | undefined {
  if (input === null) return undefined
  const fieldErrors: FieldError[] = []
  const fields = parseFields(input, fieldErrors, previous)
  errors.push(...fieldErrors)
  if (fields === undefined || fieldErrors.length > 0) return undefined
  errors.push(...fixedErrors(fields))
  return fields
}

/** Paths that cannot be hashed: a hash would replace the whole object. */
const OBJECTS = [...FREE_FORM, 'context.traits']

/** A call must keep the fields that identify it, and its context, properties and traits must remain objects. */
function fixedErrors({ keep = [], drop = [], hash = [] }: Fields): readonly FieldError[] {
  const hint = 'Use a path in context, properties or traits, such as context.ip.'
  const check = (path: string, pointer: string, isFixed: boolean): readonly FieldError[] =>
    isFixed ? [fieldError(pointer, 'not_allowed', `This rule cannot apply to ${path}.`, hint)] : []
  const isFirstFixed = (path: string): boolean => FIXED_CALL_FIELDS.includes(pathOf(path)[0]!)
  return [
    ...keep.flatMap((path, at) => check(path, `/fields/keep/${at}`, isFirstFixed(path))),
    ...drop.flatMap((path, at) => check(path, `/fields/drop/${at}`, isFirstFixed(path))),
    ...hash.flatMap(({ path }, at) => {
      const isFixed = isFirstFixed(path) || OBJECTS.includes(path)
      return check(path, `/fields/hash/${at}/path`, isFixed)
    }),
  ]
}

function parseFilter(input: unknown, errors: FieldError[]): Filter {
  errors.push(...errorsBelow('/filter', filterErrors(input)))
  return input as Filter
}

/** Returns a parser for an optional setting with these values. */
export function parserOf<Value extends string>(name: string, values: readonly Value[]) {
  return (input: unknown, errors: FieldError[]): Value | undefined => {
    if (input === undefined) return undefined
    const value = values.find((each) => each === input)
    const hint = `Use one of ${values.join(', ')}.`
    if (value === undefined)
      errors.push(fieldError(`/${name}`, 'not_allowed', `Unknown ${name}.`, hint))
    return value
  }
}

function parseTransform(input: unknown, errors: FieldError[]): string | undefined {
  errors.push(...transformErrors(input, '/transform'))
  return typeof input === 'string' ? input : undefined
}

/** The time to parse a path grows quadratically with its steps. */
const MAX_STEPS = 1_000

/** The errors in a JSONata expression. Its functions are checked only when it is applied to an event. */
export function transformErrors(input: unknown, pointer: string): readonly FieldError[] {
  const hint = 'Use a JSONata expression, such as { "text": event }.'
  if (typeof input !== 'string' || input.trim() === '')
    return [fieldError(pointer, 'invalid_type', 'transform must be an expression.', hint)]
  const max = LIMITS.transformCharacters
  if (input.length > max)
    return [
      fieldError(pointer, 'too_long', 'transform is too long.', `Use at most ${max} characters.`),
    ]
  const steps = input.match(/[.%*]/g)?.length ?? 0
  if (steps > MAX_STEPS)
    return [
      fieldError(
        pointer,
        'too_many',
        'transform has too many path steps.',
        `Use at most ${MAX_STEPS} of the characters . % and * in total.`,
      ),
    ]
  try {
    jsonata(input)
    return []
  } catch (error) {
    const { message, position = 0 } = error as { message: string; position?: number }
    const detail = `The expression is invalid at character ${position}: ${message}.`
    return [fieldError(pointer, 'invalid_expression', detail, hint)]
  }
}

function parseFields(
  input: unknown,
  errors: FieldError[],
  previous: Fields | undefined,
): Fields | undefined {
  if (!isJsonObject(input)) {
    const hint = 'Use an object: {"drop": ["context.ip"], "hash": [{"path": "traits.email"}]}.'
    errors.push(fieldError('/fields', 'invalid_type', 'fields must be an object.', hint))
    return undefined
  }
  const { keep, drop, hash, salt } = input
  errors.push(...unknownFields(input, ['keep', 'drop', 'hash', 'salt'], '/fields'))
  if (keep !== undefined) checkPaths(keep, '/fields/keep', errors)
  if (drop !== undefined) checkPaths(drop, '/fields/drop', errors)
  if (hash !== undefined) checkHashes(hash, errors)
  if (errors.length === 0) errors.push(...changeErrors({ drop, hash } as Partial<Fields>))
  const lists = Object.entries({ keep, drop, hash }).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(lists), salt: parseSalt(salt, errors, previous?.salt) }
}

/** Envelope fields cannot be changed, and any other field can be changed only once. */
function changeErrors({ drop = [], hash = [] }: Partial<Fields>): readonly FieldError[] {
  const seen = new Set<string>()
  const places = [
    ...drop.map((path, index) => [path, `/fields/drop/${index}`] as const),
    ...hash.map(({ path }, index) => [path, `/fields/hash/${index}/path`] as const),
  ]
  return places.flatMap(([path, pointer]) => {
    const isRepeated = seen.has(path)
    seen.add(path)
    if (isRepeated) return [fieldError(pointer, 'not_unique', 'Duplicate path.', 'Remove one.')]
    if (!ENVELOPE.some((name) => name === path)) return []
    const hint = 'Omit it: receivers need it to recognise and deduplicate events.'
    return [fieldError(pointer, 'not_allowed', `${path} is always sent.`, hint)]
  })
}

/** A new salt is random. */
function parseSalt(
  input: Json | undefined,
  errors: FieldError[],
  previous: string | undefined,
): string {
  const random = randomBytes(32).toString('base64url')
  if (input === undefined) return previous ?? random
  if (isHidden(input) && previous !== undefined) return previous
  if (isHidden(input)) {
    const hint = 'Use the salt itself, or omit it for a new random one.'
    errors.push(fieldError('/fields/salt', 'hidden_value_unknown', 'No salt is stored.', hint))
  } else if (checkText(input, '/fields/salt', 'Omit it for a random one.', errors)) {
    if (input.length >= MIN_SALT) return input
    const hint = `Use at least ${MIN_SALT} characters, or omit it for a random one.`
    errors.push(fieldError('/fields/salt', 'too_short', 'The salt is too short.', hint))
  }
  return random
}

/** A shorter one could be guessed from the hash of a known value. */
const MIN_SALT = 16
const MAX_PATHS = LIMITS.pathsPerRule

function checkList(
  input: Json,
  pointer: string,
  hint: string,
  errors: FieldError[],
): input is Json[] {
  if (!Array.isArray(input))
    errors.push(fieldError(pointer, 'invalid_type', 'Must be a list.', hint))
  else if (input.length > MAX_PATHS) {
    const fewer = `Use at most ${MAX_PATHS} paths.`
    errors.push(fieldError(pointer, 'too_many', 'Too many paths.', fewer))
  } else return true
  return false
}

function checkPaths(input: Json, pointer: string, errors: FieldError[]): void {
  if (!checkList(input, pointer, 'Use a list of paths: ["context.ip", "traits.email"].', errors))
    return
  for (const [index, path] of input.entries()) checkPath(path, `${pointer}/${index}`, errors)
}

function checkHashes(input: Json, errors: FieldError[]): void {
  const pointer = '/fields/hash'
  const hint = 'Use a list: [{"path": "traits.email", "normalize": "email"}].'
  if (!checkList(input, pointer, hint, errors)) return
  for (const [index, each] of input.entries()) {
    const at = `${pointer}/${index}`
    if (!isJsonObject(each)) {
      errors.push(fieldError(at, 'invalid_type', 'Must be an object.', hint))
      continue
    }
    const { path, normalize } = each
    errors.push(...unknownFields(each, ['path', 'normalize'], at))
    checkPath(path, `${at}/path`, errors)
    if (normalize !== undefined && !NORMALIZATIONS.some((known) => known === normalize)) {
      const one = `Use one of ${NORMALIZATIONS.join(', ')}, or omit it.`
      errors.push(fieldError(`${at}/normalize`, 'not_allowed', 'Unknown normalisation.', one))
    }
  }
}

function parseSample(input: unknown, errors: FieldError[]): Sample | undefined {
  const hint = 'Use an object with a rate from 0 to 1: {"rate": 0.1, "by": "userId"}.'
  if (!isJsonObject(input)) {
    errors.push(fieldError('/sample', 'invalid_type', 'sample must be an object.', hint))
    return undefined
  }
  const { rate, by = 'userId' } = input
  errors.push(...unknownFields(input, ['rate', 'by'], '/sample'))
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1))
    errors.push(fieldError('/sample/rate', 'out_of_range', 'rate must be from 0 to 1.', hint))
  if (!SAMPLE_FIELDS.some((name) => name === by)) {
    const fields = `Use one of ${SAMPLE_FIELDS.join(', ')}.`
    errors.push(fieldError('/sample/by', 'not_allowed', 'Unknown field.', fields))
  }
  return { rate: Number(rate), by: by as Sample['by'] }
}

function checkClause(input: JsonObject, pointer: string, errors: FieldError[]): void {
  const { type, event, where } = input
  if (type !== undefined && !EVENT_TYPES.some((each) => each === type)) {
    const hint = `Use one of ${EVENT_TYPES.join(', ')}.`
    errors.push(fieldError(`${pointer}/type`, 'not_allowed', 'Unknown type.', hint))
  } else if (event !== undefined && type !== undefined && type !== 'track') {
    const hint = 'event matches only track events. For a page or screen, compare {"field": "name"}.'
    errors.push(fieldError(`${pointer}/event`, 'exclusive', 'event conflicts with type.', hint))
  }
  if (event !== undefined) checkNames(event, `${pointer}/event`, errors)
  if (where !== undefined) checkWhere(where, `${pointer}/where`, errors)
}

function checkNames(names: Json, pointer: string, errors: FieldError[]): void {
  const hint =
    'Use the name of a track event, or a list of names. A trailing * matches any characters.'
  if (!Array.isArray(names)) checkText(names, pointer, hint, errors)
  else if (names.length === 0 || names.length > MAX_NAMES) {
    const message = `event must have 1 to ${MAX_NAMES} names.`
    errors.push(fieldError(pointer, names.length === 0 ? 'too_few' : 'too_many', message, hint))
  } else names.forEach((name, index) => checkText(name, `${pointer}/${index}`, hint, errors))
}

function checkWhere(where: Json, pointer: string, errors: FieldError[]): void {
  const hint = `Use a list of up to ${MAX_COMPARISONS} comparisons: [{"property": "revenue", "op": ">=", "value": 100}].`
  if (!Array.isArray(where))
    errors.push(fieldError(pointer, 'invalid_type', 'where must be a list.', hint))
  else if (where.length > MAX_COMPARISONS)
    errors.push(fieldError(pointer, 'too_many', 'Too many comparisons.', hint))
  else where.forEach((each, index) => checkCompared(each, `${pointer}/${index}`, hint, errors))
}

function checkCompared(input: Json, pointer: string, hint: string, errors: FieldError[]): void {
  if (!isJsonObject(input)) {
    errors.push(fieldError(pointer, 'invalid_type', 'A comparison must be an object.', hint))
    return
  }
  errors.push(...unknownFields(input, [...COMPARED, 'op', 'value'], pointer))
  const [compared, other] = COMPARED.filter((name) => Object.hasOwn(input, name))
  const one = `Use one of ${COMPARED.join(', ')}.`
  if (compared === undefined)
    errors.push(fieldError(pointer, 'required', 'The comparison has no operand.', one))
  else if (other !== undefined)
    errors.push(
      fieldError(`${pointer}/${other}`, 'exclusive', `${other} conflicts with ${compared}.`, one),
    )
  else if (compared !== 'field') checkPath(input[compared], `${pointer}/${compared}`, errors)
  else if (!FILTER_FIELDS.some((field) => field === input['field'])) {
    const fields = `Use one of ${FILTER_FIELDS.join(', ')}.`
    errors.push(fieldError(`${pointer}/field`, 'not_allowed', 'Unknown field.', fields))
  }
  checkComparison(input, pointer, errors)
}
