import {
  type Condition,
  COUNT_OPERATORS,
  isId,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
} from '@hookline/protocol'
import { type FieldError, fieldError, unknownFields } from '../../util/field-error.ts'
import {
  checkComparison,
  checkPath,
  checkSelection,
  checkText,
  checkWindow,
  SELECTION_FIELDS,
  WINDOW_FIELDS,
} from './checks.ts'

export type ValidatedCondition =
  { readonly condition: Condition } | { readonly errors: readonly FieldError[] }

/** Validates everything except references (`referenceErrors`). `input` must be parsed JSON; pointers are relative to it. */
export function validateCondition(input: unknown): ValidatedCondition {
  const errors = treeErrors(input, CONDITIONS)
  return errors.length > 0 ? { errors } : { condition: input as Condition }
}

/** Kinds of clauses, by their identifying field. */
const CLAUSES = {
  trait: {
    fields: ['trait', 'op', 'value'],
    check: (input, pointer, errors) => {
      checkPath(input['trait'], `${pointer}/trait`, errors)
      checkComparison(input, pointer, errors)
    },
  },
  event: { fields: [...SELECTION_FIELDS.event, 'count', ...WINDOW_FIELDS], check: checkEvents },
  type: { fields: [...SELECTION_FIELDS.type, 'count', ...WINDOW_FIELDS], check: checkEvents },
  computedTrait: {
    fields: ['computedTrait', 'op', 'value'],
    check: (input, pointer, errors) => {
      const hint = 'Use the key of a computed trait.'
      checkText(input['computedTrait'], `${pointer}/computedTrait`, hint, errors)
      checkComparison(input, pointer, errors)
    },
  },
  audience: { fields: ['audience'], check: checkAudience },
} as const satisfies Readonly<Record<string, ClauseCheck>>

interface ClauseCheck {
  readonly fields: readonly string[]
  readonly check: (input: JsonObject, pointer: string, errors: FieldError[]) => void
}

/** A language of clauses that `and`, `or` and `not` combine. */
interface Clauses {
  /** The kinds of clause that an object may be, according to its fields. A valid clause has one. */
  readonly kindsOf: (input: JsonObject) => readonly string[]
  readonly checkOf: (kind: string) => ClauseCheck
  readonly examples: string
  /** What to do if a tree is too large. */
  readonly remedy: string
}

const CONDITIONS: Clauses = {
  kindsOf: (input) => Object.keys(CLAUSES).filter((kind) => Object.hasOwn(input, kind)),
  checkOf: (kind) => CLAUSES[kind as keyof typeof CLAUSES],
  examples:
    'Use one of {"trait": …}, {"event": …}, {"type": …}, {"computedTrait": …}, {"audience": …}, {"and": […]}, {"or": […]}, {"not": …}.',
  remedy: 'An audience can refer to other audiences.',
}

const GROUPS = ['and', 'or', 'not'] as const

/** The errors in clauses and their combinations. */
export function treeErrors(input: unknown, clauses: Clauses): readonly FieldError[] {
  const validation = new TreeValidation(clauses)
  validation.visit(input, '', 1)
  return validation.errors
}

class TreeValidation {
  readonly errors: FieldError[] = []
  readonly #language: Clauses
  /** Counts leaves, to bound the number of errors in a hostile tree. */
  #clauses = 0

  constructor(language: Clauses) {
    this.#language = language
  }

  /** `level` is 1 for the whole condition. */
  visit(input: unknown, pointer: string, level: number): void {
    if (this.#clauses > LIMITS.conditionClauses) return
    if (level > LIMITS.conditionLevels)
      return this.#end(pointer, 'too_deep', 'The condition is nested too deeply.', this.#flatter)
    const { kindsOf, checkOf, examples } = this.#language
    if (!isJsonObject(input)) {
      return this.#end(pointer, 'invalid_type', 'A condition must be an object.', examples)
    }
    const [group, otherGroup] = GROUPS.filter((each) => Object.hasOwn(input, each))
    const [clause, otherClause] = kindsOf(input)
    const kind = group ?? clause
    if (kind === undefined) {
      return this.#end(pointer, 'required', 'The condition has no recognised field.', examples)
    }
    const other = otherGroup ?? (group === undefined ? otherClause : clause)
    if (other !== undefined) {
      const hint = 'Combine them in a list: {"and": [{…}, {…}]}.'
      return this.#end(`${pointer}/${other}`, 'exclusive', `${other} conflicts with ${kind}.`, hint)
    }
    if (group !== undefined) this.#group(group, input, pointer, level)
    else if (this.#isWithinLimit(pointer)) this.#clause(checkOf(kind), input, pointer)
  }

  #group(kind: (typeof GROUPS)[number], input: JsonObject, pointer: string, level: number): void {
    this.errors.push(...unknownFields(input, [kind], pointer))
    const parts = input[kind]
    const at = `${pointer}/${kind}`
    if (kind === 'not') return this.visit(parts, at, level + 1)
    if (!Array.isArray(parts) || parts.length === 0) {
      const hint = 'Use a list of at least one condition: [{…}, {…}].'
      return this.#end(at, 'invalid_type', `${kind} must be a list of conditions.`, hint)
    }
    for (const [index, part] of parts.entries()) this.visit(part, `${at}/${index}`, level + 1)
  }

  #clause({ fields, check }: ClauseCheck, input: JsonObject, pointer: string): void {
    this.errors.push(...unknownFields(input, fields, pointer))
    check(input, pointer, this.errors)
  }

  #end(...[pointer, code, message, hint]: Parameters<typeof fieldError>): void {
    if (this.#isWithinLimit(pointer)) this.errors.push(fieldError(pointer, code, message, hint))
  }

  get #flatter(): string {
    return `Use at most ${LIMITS.conditionLevels} levels. ${this.#language.remedy}`.trim()
  }

  #isWithinLimit(pointer: string): boolean {
    this.#clauses++
    if (this.#clauses <= LIMITS.conditionClauses) return true
    const hint = `Use at most ${LIMITS.conditionClauses} clauses. ${this.#language.remedy}`.trim()
    this.errors.push(fieldError(pointer, 'too_many', 'The condition has too many clauses.', hint))
    return false
  }
}

function checkEvents(input: JsonObject, pointer: string, errors: FieldError[]): void {
  checkSelection(input, pointer, errors)
  checkWindow(input, pointer, errors)
  if (input['count'] !== undefined) checkCount(input['count'], `${pointer}/count`, errors)
}

function checkCount(count: Json, pointer: string, errors: FieldError[]): void {
  if (!isJsonObject(count)) {
    const hint = 'Use an object, such as {"op": ">=", "n": 2}.'
    errors.push(fieldError(pointer, 'invalid_type', 'count must be an object.', hint))
    return
  }
  errors.push(...unknownFields(count, ['op', 'n'], pointer))
  if (!COUNT_OPERATORS.some((op) => op === count['op'])) {
    const hint = `Use one of ${COUNT_OPERATORS.join(' ')}.`
    errors.push(fieldError(`${pointer}/op`, 'not_allowed', 'Invalid count operator.', hint))
  }
  const { n } = count
  if (!Number.isInteger(n) || Number(n) < 0 || Number(n) > LIMITS.countedEvents) {
    const hint = `Use a whole number from 0 to ${LIMITS.countedEvents}.`
    errors.push(
      fieldError(`${pointer}/n`, 'out_of_range', 'n is not a valid number of events.', hint),
    )
  }
}

function checkAudience({ audience }: JsonObject, pointer: string, errors: FieldError[]): void {
  const hint = 'Use the id of an audience: "aud_…".'
  if (!checkText(audience, `${pointer}/audience`, hint, errors)) return
  if (!isId('aud', audience)) {
    errors.push(fieldError(`${pointer}/audience`, 'invalid_format', 'Invalid audience id.', hint))
  }
}
