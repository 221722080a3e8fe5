import { isExactNumber, MAY_BE_INEXACT } from './exact-number.ts'
import { isJsonObject, type Json } from './json.ts'
import { ID_FIELDS } from './reference/call-fields.ts'
import { revive } from './revive.ts'

const IS_ID_NAME: ReadonlySet<string> = new Set(ID_FIELDS)

type IndexSet = Pick<ReadonlySet<number>, 'has'>

const EVERY: IndexSet = { has: () => true }

/** Whether an id of this call is a number. */
export function hasNumericId(call: Json): boolean {
  return isJsonObject(call) && ID_FIELDS.some((name) => typeof call[name] === 'number')
}

/**
 * The indexes of the calls with a numeric id that JavaScript may round: rounding would turn it into the id of another user
 * or call. `text` is the JSON of the request.
 */
export function callsWithInexactIds(
  text: string,
  { isBatch }: { readonly isBatch: boolean },
): IndexSet {
  const found = new Set<number>()
  if (!MAY_BE_INEXACT.test(text)) return found
  const body = revive(text, markInexactId)
  if (body === undefined) return EVERY
  const calls = isBatch && isJsonObject(body) ? body['batch'] : [body]
  if (!Array.isArray(calls)) return found
  for (const [index, call] of calls.entries()) if (isMarked(call)) found.add(index)
  return found
}

/** A marker: JSON cannot contain NaN. */
const INEXACT = Number.NaN

function markInexactId(name: string, value: unknown, { source }: { source: string }): unknown {
  if (typeof value !== 'number' || !IS_ID_NAME.has(name)) return value
  return isExactNumber(source) ? value : INEXACT
}

function isMarked(call: Json): boolean {
  return isJsonObject(call) && ID_FIELDS.some((name) => Number.isNaN(call[name]))
}
